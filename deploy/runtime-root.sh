#!/bin/sh
# Makes the root of an image with one program: runtime-root.sh <root> <program> [<library>…]. Copies
# the program and the libraries, each with its linked libraries.
set -eu
root=$1
program=$2
shift

mkdir -p "$root/etc" "$root/tmp" "$root/usr/bin" "$root/usr/local/bin"
chmod 1777 "$root/tmp"
cp -L "$program" "$root/usr/local/bin/"
for file in "$@"; do
  for library in $(ldd "$file" | grep -o '/[^ ]*'); do
    mkdir -p "$root$(dirname "$library")"
    cp -L "$library" "$root$library"
  done
done
# Loaders of native modules read this script, without running it, to find out which C library is
# present.
cp -L "$(command -v ldd)" "$root/usr/bin/ldd"
# Resolve host names in the container's hosts file first, then by DNS.
echo 'hosts: files dns' > "$root/etc/nsswitch.conf"
echo 'bailiwick:x:65532:65532::/app:/sbin/nologin' > "$root/etc/passwd"
echo 'bailiwick:x:65532:' > "$root/etc/group"
