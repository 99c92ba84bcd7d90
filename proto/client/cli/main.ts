#!/usr/bin/env node
import process from 'node:process';
import { run } from './run.ts';

// `bailiwick … | head` is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

// Not process.exit: what was written to a pipe has to leave first.
process.exitCode = await run(process.argv.slice(2));
