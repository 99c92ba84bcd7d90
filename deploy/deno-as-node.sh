#!/usr/local/bin/sh
# This script is named `node` in the image's target `deno`, because the chart and
# deploy/compose.yaml call that name. Deno's permissions: listen and connect; read the code, the
# packages and the mounted files; load the one native module, which hashes passwords.
set -eu

# V8's own options, such as --max-old-space-size=384.
v8=
while case ${1-} in --*) true ;; *) false ;; esac do
  v8=${v8:+$v8,}$1
  shift
done

# exec makes Deno process 1, which receives SIGTERM.
exec deno run --node-modules-dir=manual --no-lock --no-remote --cached-only --no-prompt ${v8:+"--v8-flags=$v8"} \
  --allow-env --allow-net --allow-sys=hostname --allow-read=/app,/run,/var/run,/tmp,/usr/bin/ldd --allow-ffi=/app/node_modules "$@"
