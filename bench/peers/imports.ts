import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { serveBench } from '../peer.ts';

// Loads the modules of a product's process, and does nothing with them.
//
//   node imports.ts <module> …

for (const name of process.argv.slice(2))
  await import(name.startsWith('/') ? pathToFileURL(name).href : name);
serveBench('ready');
