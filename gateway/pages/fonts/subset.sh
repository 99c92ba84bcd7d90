#!/bin/sh
# Makes the font files of this folder from the packages of Hanken Grotesk. Needs npm and Python 3.
#
#   sh gateway/pages/fonts/subset.sh
#
# The weights are those of the pages and of the console, 400 to 600. The second file has the letters
# of Latin Extended-A, which most pages do not load; face.ts names the same ranges.
set -eu
folder=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm pack --silent @fontsource-variable/hanken-grotesk@5.3.0 > /dev/null
tar -xzf ./*.tgz
python3 -m venv tools
tools/bin/pip install --quiet fonttools==4.68.0 brotli==1.2.1
# The files have no time of their making: the same command makes the same bytes.
export SOURCE_DATE_EPOCH=0

subset() {
  tools/bin/fonttools varLib.instancer --quiet --no-recalc-timestamp --output "$1.ttf" \
    "package/files/hanken-grotesk-$1-wght-normal.woff2" wght=400:600
  tools/bin/pyftsubset "$1.ttf" --output-file="$folder/hanken-grotesk-$1.woff2" --flavor=woff2 \
    --unicodes="$2" --layout-features='*' --name-IDs='*' --no-hinting --desubroutinize
}
subset latin 'U+0000-00FF,U+0131,U+0152-0153,U+02BB-02BC,U+02C6,U+02DA,U+02DC,U+2000-206F,U+20AC,U+2122,U+2191,U+2193,U+2212,U+2215,U+FFFD'
subset latin-ext 'U+0100-0130,U+0132-0151,U+0154-017F'
cp package/LICENSE "$folder/OFL.txt"
