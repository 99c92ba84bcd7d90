import assert from 'node:assert/strict';
import { test } from 'node:test';
import { suspended } from '@bailiwick/errors';
import {
  IssuerChoiceSchema,
  IssuerDevicePageSchema,
} from '@bailiwick/proto/gen/bailiwick/sso/v1/internal_pb.ts';
import { create } from '@bufbuild/protobuf';
import { choiceMarkup } from './choice-page.ts';
import { deviceMarkup } from './device-page.ts';
import { textOfError } from './page-texts.ts';

const app = '<ח>\u202e';
const markup = '<bdi>&lt;ח&gt;</bdi>';

test('the page of a consent isolates and escapes the name of the app, in its title without markup', () => {
  const choice = create(IssuerChoiceSchema, { kind: 'consent', app, scopes: ['openid'] });
  const { title, heading, about: description } = choiceMarkup(choice, 'en');
  assert.equal(title, 'Sign in to \u2068&lt;ח&gt;\u2069?');
  assert.equal(heading, `Sign in to ${markup}?`);
  assert.ok(description?.startsWith(`${markup} signs you in`), description);
});

test('the page of a choice isolates the names of the organisations and of the app', () => {
  const options = [{ href: '/a', label: app }];
  const { about: description, choices } = choiceMarkup(
    create(IssuerChoiceSchema, { kind: 'tenant', app, options }),
    'en',
  );
  assert.ok(description?.includes(markup), description);
  assert.equal(choices, `<ul><li><a class="button plain" href="/a">${markup}</a></li></ul>`);
});

test('the page of a device isolates the name of the app', () => {
  const visitor = { locale: 'en', root: '', ip: '127.0.0.1', now: new Date() };
  const page = create(IssuerDevicePageSchema, { kind: 'confirm', app, userCode: 'ABCD' });
  const { heading, about: description } = deviceMarkup(page, visitor);
  assert.equal(heading, `Sign in to ${markup}?`);
  assert.ok(description.includes(`${markup} wants to sign in`), description);
});

test('a message with the name of a tenant isolates it, without direction marks', () => {
  assert.equal(textOfError(suspended('ח\u202e'), 'en', 'call'), '\u2068ח\u2069 is suspended.');
});
