import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connectionProblem } from './database-problem.ts';

const url = 'postgres://app:a-secret@db.example/orders';
const failure = (code: string, message = 'failed') => Object.assign(new Error(message), { code });

const cases: Array<[error: Error, message: string]> = [
  [
    failure('ECONNREFUSED'),
    'no PostgreSQL answers at db.example:5432; start it, or correct the host and port',
  ],
  [
    new Error('timeout expired'),
    'no PostgreSQL answers at db.example:5432; start it, or correct the host and port',
  ],
  [failure('ENOTFOUND'), 'the host db.example is unknown; correct the host name'],
  [
    failure('28P01'),
    'PostgreSQL at db.example:5432 refuses the login of app; correct the user name or the password',
  ],
  [
    failure('3D000'),
    'the database orders does not exist at db.example:5432; create it, or correct the database name',
  ],
  [
    failure('XX000', 'strange\nat a line'),
    'connecting to PostgreSQL at db.example:5432 failed: strange',
  ],
];

for (const [error, message] of cases) {
  test(`a connection that fails with ${'code' in error ? String(error.code) : error.message} is described in one line`, () => {
    assert.equal(connectionProblem(error, url).message, message);
    assert.equal(
      connectionProblem(new Error('of a library', { cause: error }), url).message.includes(
        'a-secret',
      ),
      false,
    );
  });
}
