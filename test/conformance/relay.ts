import { connect } from 'node:net';
import process from 'node:process';

// The program that the runner starts as the client or the server under test, which is in the test's
// own process: the runner waits ten seconds for a server, and loading our packages takes most of them
// on a busy machine.

const [mode, port] = process.argv.slice(2);
const test = connect(Number(port));
// The end of its input tells a client that there are no more calls, and a server nothing.
process.stdin.pipe(test, { end: mode === 'client' }).pipe(process.stdout);
