#!/usr/bin/env node
import process from 'node:process';
import { watchOutput } from './output.ts';
import { run } from './run.ts';

watchOutput();
const exitCode = await run(process.argv.slice(2));
// Not process.exit: what was written to a pipe has to leave first. And an answer that could not be written is a failure already.
process.exitCode ||= exitCode;
