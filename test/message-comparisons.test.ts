import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { test } from 'node:test';
import ts from 'typescript';
import { nodesIn, root } from './support/parsing.ts';

// Clients of the API compare Code, Reason, Params and Problems: messages are for people, and change.

const files = globSync(
  ['console/src/**/*.{ts,tsx}', 'gateway/pages/*.js', 'packages/{cli,client}/**/*.ts'],
  { cwd: root, exclude: (name) => /(^|\/)(node_modules|dist|gen)$|\.test\.tsx?$/.test(name) },
);

/** Code that reads texts of others, and why. */
const exceptions: Readonly<Record<string, string>> = {
  "packages/cli/sign-in/issuer.ts: error.message === 'fetch failed'":
    'an error of fetch, which has no code',
  'packages/cli/state/preview.ts: warning.replace(/^Changes\\[(\\d+)\\]\\.\\w+/':
    'a warning begins with the JSON path of its change, and has nothing else for programs',
  'packages/client/import/send.ts: message.replaceAll(/\\bUsers\\[(\\d+)\\]/g':
    'a verdict of an import has JSON paths in its messages, and no Problems',
  'console/src/platform/import/run.ts: message.replaceAll(/\\bUsers\\[(\\d+)\\]/g':
    'the same verdict, shown with the lines of the file',
  'gateway/pages/texts.js: /[.!?]$/.test(message)': 'ends a message with a full stop',
};

const messageNames = /^(?:messages?|warnings?)$/i;
const isMessage = (node: ts.Node): boolean => {
  if (ts.isIdentifier(node)) return messageNames.test(node.text);
  if (ts.isPropertyAccessExpression(node)) return messageNames.test(node.name.text);
  return ts.isElementAccessExpression(node) && isMessage(node.expression);
};
const isEmpty = (node: ts.Node): boolean => ["''", 'undefined', 'null'].includes(node.getText());

const equals = new Set([
  ts.SyntaxKind.EqualsEqualsEqualsToken,
  ts.SyntaxKind.ExclamationEqualsEqualsToken,
]);
const searches =
  /^(?:includes|startsWith|endsWith|indexOf|match|matchAll|search|test|exec|replace|replaceAll)$/;

function readsMessage(node: ts.Node): boolean {
  if (ts.isBinaryExpression(node) && equals.has(node.operatorToken.kind)) {
    const sides = [node.left, node.right];
    return sides.some(isMessage) && !sides.some(isEmpty);
  }
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return false;
  const { expression: receiver, name } = node.expression;
  return searches.test(name.text) && [receiver, ...node.arguments].some(isMessage);
}

const readersIn = (file: string) =>
  nodesIn(file)
    .filter(readsMessage)
    .map((node) => `${file}: ${node.getText().replaceAll(/\s+/g, ' ').replace('( ', '(')}`);
const isExcepted = (reader: string) =>
  Object.keys(exceptions).some((exception) => reader.startsWith(exception));

test('no client compares the messages of errors', () => {
  assert.ok(files.length > 100, String(files.length));
  const readers = files.flatMap(readersIn);
  assert.deepEqual(
    readers.filter((reader) => !isExcepted(reader)),
    [],
  );
  assert.equal(readers.length, Object.keys(exceptions).length);
});
