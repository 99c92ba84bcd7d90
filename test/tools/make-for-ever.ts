import process from 'node:process';
import { makeOnce } from './make-once.ts';

// Begins to make a tool, says so, and ends with the test that kills it: make-once.test.ts.

await makeOnce(process.argv[2] ?? '', () => {
  process.send?.('making');
  return new Promise((resolve) => process.once('disconnect', resolve));
});
