"""Finds words on a picture of a screen, as a person would: by reading it. Prints where their middle is.

    find_words.py PICTURE WORD...     exit code 1: they do not stand there, in this order and in one line

Of several places it is the lowest.
"""

import csv
import io
import subprocess
import sys

# How tesseract takes a picture apart: words here and there, which misses white words on a dark button; or one block of
# text, which finds those once the button is black.
SCATTERED = 11
BLOCK = 6


def words_on(picture, layout, *filters):
    """Every word that can be read, with its line and its box in the picture."""
    # Letters of a screen are small for tesseract, which was taught with print: three times the size helps it.
    scale = 3
    image = subprocess.run(
        ["convert", picture, "-colorspace", "Gray", *filters, "-resize", f"{scale * 100}%", "png:-"],
        check=True,
        capture_output=True,
    ).stdout
    table = subprocess.run(
        ["tesseract", "-", "-", "--psm", str(layout), "tsv"], input=image, check=True, capture_output=True
    ).stdout.decode()
    for row in csv.DictReader(io.StringIO(table), delimiter="\t", quoting=csv.QUOTE_NONE):
        if row["text"].strip():
            box = [int(row[side]) / scale for side in ("left", "top", "width", "height")]
            yield (row["block_num"], row["par_num"], row["line_num"]), row["text"].strip(), box


def find(wanted, words):
    """Every place where they stand."""
    for start in range(len(words) - len(wanted) + 1):
        found = words[start : start + len(wanted)]
        same_line = len({line for line, _, _ in found}) == 1
        if same_line and [text.rstrip(".:") for _, text, _ in found] == wanted:
            left, top = found[0][2][0], found[0][2][1]
            right = found[-1][2][0] + found[-1][2][2]
            yield round((left + right) / 2), round(top + found[0][2][3] / 2)


def main():
    picture, *wanted = sys.argv[1:]
    looks = [words_on(picture, SCATTERED), words_on(picture, BLOCK, "-threshold", "60%")]
    places = [place for words in looks for place in find(wanted, list(words))]
    if not places:
        sys.exit(1)
    # Sentences may name a button; the button itself stands below them, or to the right.
    x, y = max(places, key=lambda place: (place[1], place[0]))
    print(x, y)


main()
