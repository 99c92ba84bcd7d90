import assert from 'node:assert/strict';
import process from 'node:process';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { newPerson, type Person } from '../matrix/people.ts';
import { type Stack, startStack } from '../support/harness.ts';
import {
  apply,
  type Change,
  type History,
  history,
  permissions,
  resources,
  subjects,
  users,
} from './history.ts';
import { countingWays, covers, emptyModel, holds, type Model, permissionsOf } from './model.ts';
import { type Difference, openTenant, type Tenant } from './tenant.ts';

// Applies random histories to a tenant, and compares every answer about permissions with the model.
//
//   BAILIWICK_RUNS=1000   number of histories. Run the file alone with `node --test` then, because
//                         npm test ends it after five minutes.
//   BAILIWICK_SEED=42     repeats the histories of an earlier run; a failure names its seed

const runs = Number(process.env['BAILIWICK_RUNS'] ?? 60);
const seed = process.env['BAILIWICK_SEED'];

/** Questions permissions one by one, for each history. */
const detailed = 12;

const questions = permissions.flatMap((Permission) =>
  resources.map((Resource) => ({ Permission, Resource })),
);

describe('access decisions match the model', () => {
  let stack: Stack;
  let owner: Person;
  let people: Person[];
  before(async () => {
    stack = await startStack('one process', { BAILIWICK_LIMITS: 'off' });
    [owner, ...people] = (await Promise.all(
      ['owner', ...users].map((name) => newPerson(stack, name)),
    )) as [Person, ...Person[]];
  });
  after(() => stack?.stop());

  test(`after ${runs} random histories, and for plans of the changes made next`, {
    timeout: 3_600_000,
  }, async (t) => {
    const figures = { changes: 0, answers: 0, allowed: 0, paths: 0, differences: 0 };

    async function compare(tenant: Tenant, model: Model, pick: number): Promise<void> {
      for (const subject of subjects) {
        const expected = answersOf(model, subject);
        assert.deepEqual(
          named(subject, await tenant.check(subject, questions)),
          named(subject, expected),
        );
        figures.answers += expected.length;
        figures.allowed += expected.filter(Boolean).length;
        for (const resource of resources)
          assert.deepEqual(
            await tenant.permissions(subject, resource),
            permissionsOf(model, subject, resource),
          );
      }
      const ids = await tenant.grants();
      assert.deepEqual([...ids.values()].sort(), [...model.grants.keys()].sort());
      for (const question of pickQuestions(model, pick))
        figures.paths += await compareExplanation(tenant, model, question, ids);
    }

    async function run({ done: past, planned, pick }: History): Promise<void> {
      const tenant = await openTenant(stack, owner, people);
      const model = await makeChanges(tenant, emptyModel, past);
      await compare(tenant, model, pick);
      const plan = await tenant.plan(planned);
      const later = await makeChanges(tenant, model, planned);
      comparePlan({ plan, planned, before: model, after: later });
      await compare(tenant, later, pick + detailed);
      figures.changes += past.length + planned.length;
      figures.differences += plan.gained.length + plan.lost.length;
    }

    await fc.assert(fc.asyncProperty(history, run), {
      numRuns: runs,
      ...(seed !== undefined && { seed: Number(seed) }),
    });
    t.diagnostic(JSON.stringify({ runs, ...figures }));
  });
});

/**
 * Makes changes one by one; each must have the outcome of the model. All subjects are checked before
 * and after each change: the answers from before are cached, and must not be given after it.
 */
async function makeChanges(
  tenant: Tenant,
  model: Model,
  changes: readonly Change[],
): Promise<Model> {
  let at = model;
  for (const change of changes) {
    const { model: next, code } = apply(at, change);
    assert.equal(await tenant.make(change), code, JSON.stringify(change));
    at = next;
    const answers = subjects.map(async (subject) =>
      assert.deepEqual(
        named(subject, await tenant.check(subject, questions)),
        named(subject, answersOf(at, subject)),
        JSON.stringify(change),
      ),
    );
    await Promise.all(answers);
  }
  return at;
}

const answersOf = (model: Model, subject: string): boolean[] =>
  questions.map(({ Permission, Resource }) => holds(model, subject, Permission, Resource));

type Question = { subject: string; Permission: string; Resource: string };

/** Picks half of the questions among the allowed ones, which are fewer. */
function pickQuestions(model: Model, pick: number): Question[] {
  const all = subjects.flatMap((subject) =>
    questions.map((question) => ({ subject, ...question })),
  );
  const allowed = all.filter(({ subject, Permission, Resource }) =>
    holds(model, subject, Permission, Resource),
  );
  const spread = <Item>(items: readonly Item[]) =>
    Array.from(
      { length: Math.min(items.length, detailed / 2) },
      (_, index) => items[(pick + 37 * index) % items.length] as Item,
    );
  return [...spread(allowed), ...spread(all)];
}

/** Returns the number of ways. */
async function compareExplanation(
  tenant: Tenant,
  model: Model,
  { subject, Permission, Resource }: Question,
  ids: ReadonlyMap<string, string>,
): Promise<number> {
  const what = JSON.stringify({ subject, Permission, Resource });
  const expected = holds(model, subject, Permission, Resource);
  assert.equal(await tenant.checkOne(subject, Permission, Resource), expected, what);
  const { Allowed, Paths, Missing } = await tenant.explain(subject, Permission, Resource);
  const ways = countingWays(model, subject, Resource).flatMap(
    ({ grant, group, inheritedFrom, role, patterns }) =>
      patterns
        .filter((pattern) => covers(pattern, Permission))
        .map((pattern) => [grant, group, inheritedFrom, role, pattern]),
  );
  const paths = Paths.map((path) => [
    ids.get(path.Grant),
    path.Group,
    path.InheritedFrom,
    path.Role,
    path.Permission,
  ]);
  assert.deepEqual(
    [Allowed, Missing.length === 0, sorted(paths)],
    [expected, expected, sorted(ways)],
    what,
  );
  return paths.length;
}

type PlanCheck = {
  plan: Awaited<ReturnType<Tenant['plan']>>;
  planned: readonly Change[];
  before: Model;
  after: Model;
};

/**
 * A plan reports exactly the differences that its changes then make, and a warning for each change
 * that is refused.
 */
function comparePlan({ plan, planned, before, after }: PlanCheck): void {
  let model = before;
  const refused = planned.flatMap((change, index) => {
    const verdict = apply(model, change);
    model = verdict.model;
    return verdict.code === 'ok' ? [] : [index];
  });
  assert.deepEqual(
    plan.warnings.map((warning) =>
      Number(/^Changes\[(\d+)\]\.\w+ would be refused: /.exec(warning)?.[1]),
    ),
    refused,
    JSON.stringify(plan.warnings),
  );
  compareDifference('gained', plan.gained, after, before);
  compareDifference('lost', plan.lost, before, after);
}

/**
 * Every reported permission is held in `there` and not in `elsewhere`, and every such permission is
 * reported.
 */
function compareDifference(
  what: string,
  reported: readonly Difference[],
  there: Model,
  elsewhere: Model,
): void {
  assert.equal(
    new Set(reported.map((difference) => JSON.stringify(difference))).size,
    reported.length,
    `${what}: nothing is reported twice`,
  );
  for (const { Subject, Permission, Resource } of reported) {
    const expected = [there, elsewhere].map((model) => holds(model, Subject, Permission, Resource));
    assert.deepEqual(
      expected,
      [true, false],
      `${what}: ${JSON.stringify({ Subject, Permission, Resource })}`,
    );
  }
  for (const subject of subjects) {
    for (const { Permission, Resource } of questions.filter(
      (question) => !question.Permission.endsWith('*'),
    )) {
      if (
        !holds(there, subject, Permission, Resource) ||
        holds(elsewhere, subject, Permission, Resource)
      )
        continue;
      const isReported = reported.some(
        (difference) =>
          difference.Subject === subject &&
          ['', Resource].includes(difference.Resource) &&
          covers(difference.Permission, Permission),
      );
      assert.ok(
        isReported,
        `${what}, but not reported:  ${JSON.stringify({ subject, Permission, Resource })}`,
      );
    }
  }
}

const sorted = (rows: ReadonlyArray<ReadonlyArray<string | undefined>>) =>
  rows.map((row) => row.join(' | ')).sort();

const named = (subject: string, answers: readonly boolean[]) =>
  questions.map(
    ({ Permission, Resource }, index) => `${subject} ${Permission} ${Resource}: ${answers[index]}`,
  );
