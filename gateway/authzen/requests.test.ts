import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createId } from '@bailiwick/contract';
import { ServiceError } from '@bailiwick/errors';
import {
  readActionSearch,
  readEvaluation,
  readEvaluations,
  readSubjectSearch,
} from './requests.ts';

const [user, bot, tenant, other] = [
  createId('usr'),
  createId('bot'),
  createId('tnt'),
  createId('tnt'),
];
const subject = { type: 'user', id: user };
const action = { name: 'app.reports.read' };
const resource = { type: 'tenant', id: tenant };
const whole = { subject, action, resource };

function problemsOf(read: () => unknown): readonly string[] {
  try {
    read();
  } catch (error) {
    assert.ok(error instanceof ServiceError && error.code === 'invalid_argument', String(error));
    return error.messages;
  }
  assert.fail('the request is valid');
}

test('an evaluation of a tenant asks about the whole tenant', () => {
  assert.deepEqual(readEvaluation(whole), {
    at: '',
    tenant,
    subject: user,
    permission: 'app.reports.read',
    resource: '',
    explain: false,
  });
  assert.equal(readEvaluation({ ...whole, subject: { type: 'bot', id: bot } }).subject, bot);
});

test('a resource is named by its type and id, in the tenant of its properties or of the context', () => {
  const named = (one: object, context: object = {}) => {
    const question = readEvaluation({ ...whole, resource: one, context });
    return [question.tenant, question.resource];
  };
  const report = { type: 'report', id: '7:a' };
  const properties = { tenant };
  assert.deepEqual(named({ ...report, properties }), [tenant, 'report:7:a']);
  assert.deepEqual(named(report, { tenant }), [tenant, 'report:7:a']);
  assert.deepEqual(named({ ...report, properties }, { tenant: other }), [tenant, 'report:7:a']);
  assert.deepEqual(named({ type: 'resource', id: 'x', properties }), [tenant, 'x']);
});

test('no type and id name the resource of another type', () => {
  const colon = { type: 'report:7', id: 'a', properties: { tenant } };
  assert.deepEqual(
    problemsOf(() => readEvaluation({ ...whole, resource: colon })),
    ['resource.type must be at most 64 letters, digits, ".", "_" and "-"'],
  );
});

test('unknown fields and properties are ignored', () => {
  const more = { properties: { department: 'x' }, more: 1 };
  const question = readEvaluation({
    subject: { ...subject, ...more },
    action: { ...action, ...more },
    resource: { ...resource, ...more },
    context: { time: 'now', explain: 'true' },
    extension: {},
  });
  assert.deepEqual(question, readEvaluation(whole));
});

test('every problem of an evaluation is named', () => {
  assert.deepEqual(
    problemsOf(() => readEvaluation({ context: 1 })),
    [
      'context must be an object',
      'subject.type is required',
      'subject.id is required',
      'action.name is required',
      'resource.type is required',
      'resource.id is required',
      'resource.properties.tenant or context.tenant is required',
    ],
  );
  assert.deepEqual(
    problemsOf(() =>
      readEvaluation({
        subject: { type: 'user', id: bot },
        action: { name: 7 },
        resource: { type: 'tenant', id: user },
      }),
    ),
    [
      'subject.id must be an identifier of a user',
      'action.name must be a string',
      'resource.id must be an identifier of a tenant',
    ],
  );
  assert.deepEqual(
    problemsOf(() => readEvaluation({ ...whole, subject: { type: 'group', id: user } })),
    ['subject.type must be user or bot'],
  );
  assert.deepEqual(
    problemsOf(() => readEvaluation({ ...whole, subject: [subject], action: null })),
    ['subject.type is required', 'subject.id is required', 'action.name is required'],
  );
});

test('top-level values are the defaults of the entries, which replace them as a whole', () => {
  const write = { name: 'app.reports.write' };
  const { questions = [], endsAt } =
    readEvaluations({
      ...whole,
      context: { explain: true },
      evaluations: [{}, { action: write, context: {} }],
    }) ?? {};
  assert.deepEqual(
    questions.map(({ permission, explain, at }) => [permission, explain, at]),
    [
      ['app.reports.read', true, 'evaluations[0].'],
      ['app.reports.write', false, 'evaluations[1].'],
    ],
  );
  assert.equal(endsAt, undefined);
});

test('a request without evaluations is a single one, and more than 50 are too many', () => {
  assert.equal(readEvaluations(whole), undefined);
  assert.equal(readEvaluations({ ...whole, evaluations: [] }), undefined);
  const entries = (length: number) => ({
    ...whole,
    evaluations: Array.from({ length }, () => ({})),
  });
  assert.equal(readEvaluations(entries(50))?.questions.length, 50);
  assert.deepEqual(
    problemsOf(() => readEvaluations(entries(51))),
    ['evaluations must have at most 50 entries'],
  );
  assert.deepEqual(
    problemsOf(() => readEvaluations({ evaluations: {} })),
    ['evaluations must be an array'],
  );
});

test('the problems of several evaluations name their entries', () => {
  assert.deepEqual(
    problemsOf(() => readEvaluations({ ...whole, action: {}, evaluations: [{ action }, {}, 1] })),
    [
      'evaluations[1].action.name is required',
      'evaluations[2] must be an object',
      'evaluations[2].action.name is required',
    ],
  );
});

test('an unknown semantic is refused, and unknown options are ignored', () => {
  const read = (options: unknown) => readEvaluations({ ...whole, evaluations: [{}], options });
  assert.equal(read({ evaluations_semantic: 'deny_on_first_deny' })?.endsAt, false);
  assert.equal(read({ evaluations_semantic: 'permit_on_first_permit', x: 1 })?.endsAt, true);
  assert.equal(read({ another: 1 })?.endsAt, undefined);
  const problem =
    'options.evaluations_semantic must be one of execute_all, deny_on_first_deny, permit_on_first_permit';
  for (const evaluations_semantic of ['toString', 'all', null, 1])
    assert.deepEqual(
      problemsOf(() => read({ evaluations_semantic })),
      [problem],
    );
  assert.deepEqual(
    problemsOf(() => read([])),
    ['options must be an object'],
  );
});

test('a search for actions needs no action, and has one page', () => {
  const search = { subject, resource };
  assert.equal(readActionSearch(search).permission, '');
  assert.equal(readActionSearch({ ...search, page: { token: '', limit: 2 } }).tenant, tenant);
  assert.deepEqual(
    problemsOf(() => readActionSearch({ ...search, page: { token: 'x' } })),
    ['page.token is not valid'],
  );
});

test('a search for subjects needs their type only, and has pages', () => {
  const search = { ...whole, subject: { type: 'bot', id: 7 } };
  const { question, type, page } = readSubjectSearch(search);
  assert.deepEqual(
    [question.tenant, question.subject, question.permission, type, page],
    [tenant, '', 'app.reports.read', 'bot', { limit: 0, token: '' }],
  );
  const limited = (input: unknown) => readSubjectSearch({ ...search, page: input }).page;
  assert.deepEqual(limited({ limit: 2, token: 'x' }), { limit: 2, token: 'x' });
  assert.equal(limited({ limit: 1e12 }).limit, 200);
  assert.deepEqual(
    problemsOf(() => readSubjectSearch({ ...whole, subject: { type: 'group' }, page: [] })),
    ['page must be an object', 'subject.type must be user or bot'],
  );
  for (const limit of [-1, 1.5, '2', null])
    assert.deepEqual(
      problemsOf(() => readSubjectSearch({ ...search, page: { limit, token: 1 } })),
      ['page.limit must be a whole number, at least 0', 'page.token must be a string'],
    );
});
