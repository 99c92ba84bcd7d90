#!/bin/sh
# Makes the root of an image that has one program: runtime-root.sh <root> <program> [<library>…], each with the libraries it is linked with.
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
# A script that nothing can run here: loaders of native modules read it to learn which C library there is.
cp -L "$(command -v ldd)" "$root/usr/bin/ldd"
# Names of hosts: first those that the container is given, then the name servers'.
echo 'hosts: files dns' > "$root/etc/nsswitch.conf"
echo 'bailiwick:x:65532:65532::/app:/sbin/nologin' > "$root/etc/passwd"
echo 'bailiwick:x:65532:' > "$root/etc/group"
