import assert from 'node:assert/strict';
import { test } from 'node:test';
import { errorOf } from '@bailiwick/client/errors.ts';
import { messagesAt } from './field-errors.ts';

test('each message of a refusal is at the field that it is about, and the first one of a field counts', () => {
  const Problems = ['App.Name', 'App.RedirectURIs[1]', 'App.RedirectURIs[2]', 'App.NameOther'].map(
    (Field) => ({ Field, Rule: 'min_len', Params: {} }),
  );
  const error = errorOf({
    operation: 'Apps_Save',
    status: 400,
    Code: 'invalid_argument',
    Messages: ['one', 'two', 'three', 'four'],
    Problems,
    RequestID: 'r1',
  });
  const paths = { name: 'App.Name', redirects: 'App.RedirectURIs', scopes: 'App.Scopes' };
  assert.deepEqual(messagesAt(error, paths), { name: 'one', redirects: 'two' });
});

test('the message of a reason that names its field is in the language of the user', () => {
  const error = errorOf({
    operation: 'Tenants_Update',
    status: 400,
    Code: 'failed_precondition',
    Reason: 'NAME_RESERVED',
    Messages: ['Tenant.Name is reserved for the platform'],
    Params: { Field: 'Tenant.Name' },
    RequestID: 'r1',
  });
  const paths = { name: 'Tenant.Name', slug: 'Tenant.Slug' };
  const german = (reason: string) => (reason === 'NAME_RESERVED' ? 'Vergeben.' : undefined);
  assert.deepEqual(messagesAt(error, paths, german), { name: 'Vergeben.' });
  // A newer service may send a reason that has no text here.
  const none = () => undefined;
  assert.deepEqual(messagesAt(error, paths, none), { name: error.Messages[0] });
});
