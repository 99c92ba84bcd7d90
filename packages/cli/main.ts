#!/usr/bin/env node
import process from 'node:process';
import { watchOutput } from './output.ts';
import { run } from './run.ts';

watchOutput();
const exitCode = await run(process.argv.slice(2));
// Not process.exit: output to a pipe must be flushed first. A failed write has already set an exit code.
process.exitCode ||= exitCode;
