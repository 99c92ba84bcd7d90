#!/usr/local/bin/sh
# Called node in the image's target `deno`, since that is what the chart and deploy/compose.yaml call what runs a process. Deno lets it
# do just this: listen and call, read its code, the packages and what is mounted, and load the one native module, which hashes passwords.
set -eu

# Options of node that are V8's own, such as --max-old-space-size=384.
v8=
while case ${1-} in --*) true ;; *) false ;; esac do
  v8=${v8:+$v8,}$1
  shift
done

# exec: process 1 is the one that is told to end.
exec deno run --node-modules-dir=manual --no-lock --no-remote --cached-only --no-prompt ${v8:+"--v8-flags=$v8"} \
  --allow-env --allow-net --allow-sys=hostname --allow-read=/app,/run,/var/run,/tmp,/usr/bin/ldd --allow-ffi=/app/node_modules "$@"
