# Rails' Active Record: two connections of one pool.
require "active_record"
require "yaml"

settings = YAML.load_file("snippet.yml", aliases: true).fetch("production")
ActiveRecord::Base.establish_connection(settings.merge("database" => "app.db"))

def tell(connection)
  values = %w[journal_mode synchronous busy_timeout].map { |name| connection.select_value("PRAGMA #{name}") }
  puts "connection #{values.join(" ")}"
end

def ask_about_lock
  puts "lock"
  $stdin.gets
end

$stdout.sync = true
pool = ActiveRecord::Base.connection_pool
first = pool.checkout
second = pool.checkout
tell(first)
tell(second)
ask_about_lock
second.transaction do
  # Rails begins when the first statement comes.
  second.select_value("SELECT count(*) FROM saved")
  ask_about_lock
  second.execute("INSERT INTO saved DEFAULT VALUES")
end
ask_about_lock
