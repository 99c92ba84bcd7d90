import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { test } from 'node:test';
import ts from 'typescript';
import { nodesIn, root } from './support/parsing.ts';

/** Values that travel beside the arguments of functions, and the reason. */
const besideArguments: Record<string, string> = {
  'packages/server/guard.ts callers': "adds to a framework's request, whose type is not ours",
  'packages/process/telemetry/telemetry.ts contextManager': 'the tracing context',
  'packages/store/pool.ts busy': 'the state of a connection',
  'packages/store/replica.ts progressOf': 'the state of a connection',
  'packages/process/connections.ts unanswered': 'the state of a socket',
  'packages/process/connections.ts sockets': 'the state of a socket',
  'packages/process/connections.ts closing': 'the state of a socket',
  'packages/contract/request-fields.ts properties': 'memoises a function of a message type',
  'packages/contract/json/decode.ts shapes': 'memoises a function of a message type',
  'packages/contract/mail-domain.ts addressed': 'memoises a function of a message type',
  'packages/contract/shown-text.ts cache': 'memoises a function of a message type',
  'packages/contract/validate.ts blanksOf': 'memoises a function of a message type',
  'packages/contract/validate.ts valid': 'memoises the check of a message, which nothing changes',
  'packages/keys/seal.ts keyObjects': 'memoises a function of key bytes',
  'packages/keys/seal.ts derived': 'memoises a function of key bytes',
};

test('nothing travels beside the arguments of functions, but for the state of connections, memos and traces', () => {
  const carrier = /^(WeakMap|WeakSet|AsyncLocalStorage|AsyncLocalStorageContextManager)$/;
  const files = globSync('{packages,services,gateway}/**/*.ts', {
    cwd: root,
    exclude: (name) => /(^|\/)(node_modules|dist|gen)$|\.test\.ts$/.test(name),
  });
  const carriers = files.flatMap((file) =>
    nodesIn(file)
      .filter(ts.isNewExpression)
      .filter(({ expression }) => carrier.test(expression.getText()))
      .map(({ parent }) =>
        ts.isVariableDeclaration(parent) ? `${file} ${parent.name.getText()}` : file,
      ),
  );
  assert.deepEqual([...new Set(carriers)].sort(), Object.keys(besideArguments).sort());
});
