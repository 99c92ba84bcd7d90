import assert from 'node:assert/strict';
import process from 'node:process';
import { test } from 'node:test';
import { includes, isPlatformOnly } from '@bailiwick/contract';
import { createMatchers } from '@bailiwick/server/follower/patterns.ts';
import { isGranted, readState, type StateFields } from '@bailiwick/server/follower/state.ts';
import { holds } from '@bailiwick/server/permissions.ts';
import fc from 'fast-check';

// The rule of patterns has a second evaluator, in the published package @bailiwick/server, which
// cannot import the contract. Both must give the same answer to every question.
//
//   BAILIWICK_RUNS=100000 number of models
//   BAILIWICK_SEED=42     repeats the models of an earlier run; a failure names its seed

const runs = Number(process.env['BAILIWICK_RUNS'] ?? 1000);
const seed = process.env['BAILIWICK_SEED'];
const options = { numRuns: runs, ...(seed !== undefined && { seed: Number(seed) }) };

const part = fc.constantFrom('iam', 'app', 'platform', 'internal', 'reports', 'read', 're', '');
const name = fc
  .tuple(fc.array(part, { minLength: 1, maxLength: 4 }), fc.constantFrom('.', ':'))
  .map(([parts, separator]) => parts.join(separator));
const pattern = fc.oneof(
  name,
  name.map((stem) => `${stem}.*`),
  name.map((stem) => `${stem}*`),
  fc.constantFrom('*', 'iam.*', 'iam.platform.*', 'iam.internal.*', 'app.*'),
);
const set = fc.array(pattern, { maxLength: 5 });
const resource = fc.constantFrom('', 'report:1', 'report:2', '__proto__', 'constructor');
const value: fc.Arbitrary<Required<Pick<StateFields, 'Sets' | 'Grants'>>> = fc
  .array(set, { minLength: 1, maxLength: 5 })
  .chain((Sets) => {
    const indexes = fc.array(fc.nat(Sets.length - 1), { maxLength: 3 });
    const grants = fc.array(fc.tuple(resource, indexes), { maxLength: 4 });
    return grants.map((entries) => ({ Sets, Grants: Object.fromEntries(entries) }));
  });
const questions = fc.array(fc.tuple(pattern, resource), { minLength: 20, maxLength: 20 });

test(`a follower and the contract's rule allow the same, in ${runs} random models`, () => {
  const figures = { allowed: 0, refused: 0 };
  const matchers = createMatchers();
  fc.assert(
    fc.property(value, questions, ({ Sets, Grants }, asked) => {
      const { grants } = readState({ Sets, Grants }, matchers);
      assert.ok(grants);
      for (const [permission, on] of asked) {
        const own = Object.hasOwn(Grants, on) ? (Grants[on] ?? []) : [];
        const everywhere = Object.hasOwn(Grants, '') ? (Grants[''] ?? []) : [];
        const patterns = [...everywhere, ...own].flatMap((index) => Sets[index] ?? []);
        const isIncluded = includes(patterns, permission);
        assert.equal(isGranted(grants, permission, on), isIncluded, `${permission} on ${on}`);
        if (isIncluded) figures.allowed++;
        else figures.refused++;
      }
    }),
    options,
  );
  assert.ok(Math.min(figures.allowed, figures.refused) > runs, JSON.stringify(figures));
});

test(`the permissions of a token and the contract's rule agree but for the platform's, in ${runs} random models`, () => {
  fc.assert(
    fc.property(set, fc.array(pattern, { minLength: 20, maxLength: 20 }), (patterns, asked) => {
      // A token takes effect in a tenant, where no wildcard includes a permission of the platform.
      for (const permission of asked)
        if (!isPlatformOnly(permission))
          assert.equal(holds(patterns, permission), includes(patterns, permission), permission);
        else if (holds(patterns, permission)) assert.ok(includes(patterns, permission), permission);
    }),
    options,
  );
});
