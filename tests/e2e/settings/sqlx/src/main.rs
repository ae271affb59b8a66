//! Rust's sqlx: two connections of one pool. `SNIPPETS` names the folder of the snippets when this is
//! compiled: one folder for each choice of settings.
//!
//!     settings-for-sqlx first|second

use std::{io, path::Path};

use sqlx::{Error, SqliteConnection};

mod first {
    include!(concat!(env!("SNIPPETS"), "/first/snippet.rs"));
}

mod second {
    include!(concat!(env!("SNIPPETS"), "/second/snippet.rs"));
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    let path = Path::new("app.db");
    let first = std::env::args().nth(1).as_deref() == Some("first");
    let pool = if first { first::open(path).await? } else { second::open(path).await? };
    let (mut one, mut other) = (pool.acquire().await?, pool.acquire().await?);
    tell(&mut one).await?;
    tell(&mut other).await?;
    drop((one, other));
    ask_about_lock()?;
    let mut transaction = if first { first::begin_writing(&pool).await? } else { second::begin_writing(&pool).await? };
    ask_about_lock()?;
    sqlx::query("INSERT INTO saved DEFAULT VALUES").execute(&mut *transaction).await?;
    transaction.commit().await?;
    ask_about_lock()?;
    pool.close().await;
    Ok(())
}

async fn tell(connection: &mut SqliteConnection) -> Result<(), Error> {
    let mode: String = sqlx::query_scalar("PRAGMA journal_mode").fetch_one(&mut *connection).await?;
    let level: i64 = sqlx::query_scalar("PRAGMA synchronous").fetch_one(&mut *connection).await?;
    let timeout: i64 = sqlx::query_scalar("PRAGMA busy_timeout").fetch_one(&mut *connection).await?;
    println!("connection {mode} {level} {timeout}");
    Ok(())
}

fn ask_about_lock() -> io::Result<()> {
    println!("lock");
    io::stdin().read_line(&mut String::new())?;
    Ok(())
}
