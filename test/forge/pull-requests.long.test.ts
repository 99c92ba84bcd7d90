import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { parse } from 'yaml';
import { readList } from '../support/answers.ts';
import { createTenant } from '../support/people.ts';
import { action, createRunner, runAction, templateInputs } from './jobs.ts';
import { type Stage, setStage } from './stage.ts';

// Access as pull requests: the GitHub action and the GitLab template against a started stack, with the forge's API and its tokens
// stood in for.

const root = path.resolve(import.meta.dirname, '../..');

for (const kind of ['github', 'gitlab'] as const)
  describe(`access as pull requests on ${kind}`, () => {
    let stage: Stage;
    let ada: { id: string; email: string };
    let bob: { id: string; email: string };
    before(async () => {
      stage = await setStage(kind);
      [ada, bob] = [await stage.newMember(), await stage.newMember()];
      const unnamed = await stage.merge(rights());
      assert.equal(unnamed.code, 1, unnamed.output);
      assert.match(unnamed.output, /the base \w+ does not have the file/);
      const sha = await stage.git('rev-parse', 'main');
      const first = await stage.apply(sha, { inputs: { 'new-file': 'true' } });
      assert.equal(first.code, 0, first.output);
    });
    after(() => stage?.stop());

    const policy = `Policy:
  - { Permission: iam.grants.*, Only: [{ Role: owner }], Message: ask the security team }`;
    const rights = (more = '', rules = policy) => `Tenant: ${stage.tenant}
${rules}
Roles:
  - { Slug: editor, Permissions: [app.reports.*] }
${more}`;
    const only = () => {
      assert.equal(stage.forge.comments.length, 1);
      return stage.forge.comments[0]?.body ?? '';
    };
    const grant = (user: string, role = 'editor') => `Grants: [{ User: ${user}, Role: ${role} }]\n`;

    test('a request gets one comment with who gains what, which later pushes replace, and nothing changes', async () => {
      const first = await stage.propose(rights(grant(ada.email)));
      assert.equal(first.code, 0, first.output);
      const escaped = ada.email.replaceAll(/[^A-Za-z0-9]/g, (one) => `&#${one.charCodeAt(0)};`);
      assert.ok(only().includes(`<td>gains</td><td><code>${escaped}</code></td>`), only());
      assert.ok(only().includes('<code>app&#46;reports&#46;&#42;</code>'), only());
      assert.match(only(), /^### Access plan: 1 change$/m);
      assert.equal(await stage.isAllowed(ada.id, 'app.reports.read'), false);
      const second = await stage.propose(rights());
      assert.equal(second.code, 0, second.output);
      assert.match(only(), /^### Access plan: no changes$/m);
      assert.equal(existsSync(path.join(stage.work, 'pwned')), false);
    });

    test('a request that the policy forbids fails, also if it lifts the policy itself', async () => {
      const more = `  - { Slug: granter, Permissions: [iam.grants.write] }\n${grant(ada.email, 'granter')}`;
      for (const rules of [policy, 'Policy: []', '']) {
        const { code, output } = await stage.propose(rights(more, rules));
        assert.equal(code, 1, output);
        assert.match(only(), /^### Access plan: forbidden by the policy$/m);
        assert.match(
          only(),
          /would gain iam&#46;grants&#46;write&#44; [^<]*ask\s+the\s+security\s+team/,
        );
      }
    });

    test('a merge that lifts the policy for itself is not applied', async () => {
      const more = `  - { Slug: granter, Permissions: [iam.grants.write] }\n${grant(ada.email, 'granter')}`;
      for (const inputs of [{}, { 'new-file': 'true' }]) {
        const { code, output } = await stage.merge(rights(more, 'Policy: []'), { inputs });
        assert.equal(code, 1, output);
        assert.match(output, /policy: .*would gain iam\.grants\.write/);
        assert.match(output, /nothing was changed: the policy forbids/);
        await stage.merge(rights(), { inputs });
      }
      assert.equal(await stage.isAllowed(ada.id, 'iam.grants.write'), false);
    });

    test('a request that renames the file does not drop its policy', async () => {
      for (const run of [stage.propose, stage.merge]) {
        const { code, output } = await run(rights('', 'Policy: []'), {
          inputs: { file: 'other.yaml' },
        });
        assert.equal(code, 1, output);
        assert.match(output, /the base \w+ does not have the file/);
      }
    });

    test('a comment of another author than the workflow is replaced, if the job names the author', async () => {
      if (kind === 'gitlab') return;
      const [comment] = stage.forge.comments;
      assert.ok(comment);
      const { author } = comment;
      comment.author = 'acme[bot]';
      const { code, output } = await stage.propose(rights(), { inputs: { author: 'acme[bot]' } });
      assert.equal(code, 0, output);
      assert.match(only(), /no changes/);
      comment.author = author;
    });

    test('a group that does not exist yet hides no gain from the policy', async () => {
      const roles = '  - { Slug: granter, Permissions: [iam.grants.write] }';
      const more = `${roles}\nGroups: [{ Path: new, Members: [${ada.email}] }]\nGrants: [{ Group: new, Role: granter }]\n`;
      const { code, output } = await stage.propose(rights(more));
      assert.equal(code, 1, output);
      assert.match(only(), /forbidden by the policy/);
    });

    test('the comment shows what the bot that applies would be refused', async () => {
      const more = `  - { Slug: lister, Permissions: [iam.users.write] }\n`;
      const { code, output } = await stage.propose(rights(more));
      assert.equal(code, 1, output);
      assert.match(only(), /would be rejected/);
      assert.match(only(), /this would grant iam&#46;users&#46;write/);
    });

    test('a merged file is applied by the keyless bot, and a repeated job of an older commit applies nothing', async () => {
      const old = await stage.git('rev-parse', 'main');
      const { code, output } = await stage.merge(rights(grant(ada.email)));
      assert.equal(code, 0, output);
      assert.equal(await stage.isAllowed(ada.id, 'app.reports.read'), true);
      const again = await stage.apply(old);
      assert.equal(again.code, 0, again.output);
      assert.match(again.output, /a later commit is on the branch/);
      assert.doesNotMatch(again.output, /nothing to do|were made/);
      const repeated = await stage.apply(await stage.git('rev-parse', 'main'));
      assert.match(repeated.output, /nothing to do/);
    });

    test('a token of another repository, branch or workflow, or of a request, applies nothing', async () => {
      const strangers =
        kind === 'github'
          ? [
              { sub: 'repo:acme/other:ref:refs/heads/main' },
              { sub: 'repo:acme/access:ref:refs/heads/other' },
              { sub: 'repo:acme/access:pull_request' },
              { repository_owner_id: '1' },
              { job_workflow_ref: 'acme/access/.github/workflows/other.yaml@refs/heads/main' },
            ]
          : [
              { sub: 'project_path:acme/other:ref_type:branch:ref:main' },
              { sub: 'project_path:acme/access:ref_type:branch:ref:other' },
              { pipeline_source: 'merge_request_event' },
              { ref_protected: 'false' },
              { project_id: '21' },
            ];
      const text = rights(grant(bob.email));
      for (const claims of strangers) {
        const { code, output } = await stage.merge(text, { claims });
        assert.equal(code, 4, output);
        assert.match(output, /refused the token of this job/);
      }
      assert.equal(await stage.isAllowed(bob.id, 'app.reports.read'), false);
      const foreign =
        kind === 'github'
          ? { sub: 'repo:evil/access:pull_request' }
          : { project_id: '21', sub: 'project_path:evil/access:ref_type:branch:ref:x' };
      const proposed = await stage.propose(text, { claims: foreign });
      assert.equal(proposed.code, 4, proposed.output);
      assert.match(only(), /^### Access plan: failed$/m);
      const request = { Tenant: stage.tenant, Filter: { ActionPrefix: 'bot.token_refused' } };
      const { items } = await readList(stage.stack, 'Audit_List', request, stage.owner.token);
      assert.ok(items.length >= 6);
    });

    test('the bot of requests cannot apply, and a file of another tenant shows nothing of it', async () => {
      const other = await createTenant(stage.stack, stage.owner.token);
      const foreign = await stage.propose(rights(grant(bob.email)).replace(stage.tenant, other));
      assert.equal(foreign.code, 1, foreign.output);
      assert.match(only(), /^### Access plan: failed$/m);
      const merged = await stage.merge(rights(grant(bob.email)).replace(stage.tenant, other));
      assert.notEqual(merged.code, 0, merged.output);
      for (const permission of ['iam.roles.write', 'iam.groups.write', 'iam.grants.write']) {
        assert.equal(await stage.isAllowed(stage.planBot, permission), false);
        assert.equal(await stage.isAllowed(stage.applyBot, permission), true);
      }
    });

    test('a change of the tenant between plan and apply that the policy forbids stops the apply', async () => {
      const Role = { Tenant: stage.tenant, Slug: 'helper' };
      await stage.call('Roles_Save', { Role: { ...Role, Permissions: ['app.help'] } });
      const text = rights(
        `Grants: [{ User: ${ada.email}, Role: editor }, { User: ${bob.email}, Role: helper }]\n`,
      );
      const planned = await stage.propose(text);
      assert.equal(planned.code, 0, planned.output);
      await stage.call('Roles_Save', { Role: { ...Role, Permissions: ['iam.grants.write'] } });
      const { code, output } = await stage.merge(text);
      assert.equal(code, 1, output);
      assert.match(output, /policy: .*would gain iam\.grants\.write/);
      assert.match(output, /nothing was changed: the policy forbids/);
      assert.equal(await stage.isAllowed(bob.id, 'iam.grants.write'), false);
    });

    test('a link in place of the file shows no file of the runner, and a wrong file is explained', async () => {
      const secret = path.join(stage.folder, 'event.json');
      const linked = await stage.propose(secret, { link: true });
      assert.equal(linked.code, 1, linked.output);
      assert.doesNotMatch(only(), /pull_request|touch/);
      const unknown = 'Policy: [{ Permission: iam.grants.*, Only: [{ Role: onwer }] }]';
      const misspelt = await stage.propose(rights('', unknown));
      assert.equal(misspelt.code, 1, misspelt.output);
      assert.match(only(), /names the role onwer&#44; which neither the tenant nor the file has/);
      const long = await stage.propose(`${rights()}# ${'x'.repeat(10 * 1024 * 1024)}\n`);
      assert.equal(long.code, 1, long.output);
      assert.match(only(), /the file is longer than 1048576 characters/);
    });

    test('an error of the forge is retried, and a token that may not comment fails the job', async () => {
      stage.forge.failures.push({ status: 502 });
      assert.equal((await stage.propose(rights())).code, 0);
      const refused = await stage.propose(rights(), { token: 'read-only' });
      assert.equal(refused.code, 1, refused.output);
      assert.match(
        refused.output,
        kind === 'github'
          ? /403: .*\n.*the job needs the permission pull-requests: write/
          : /403: .*\n.*the job needs a project access token/,
      );
    });

    test('generic variables of a group change neither the file nor what is removed', async () => {
      if (kind === 'github') return;
      const env = { FILE: 'other.yaml', PRUNE: 'true', PACKAGE: 'evil', APPLY_BOT: 'bot_x' };
      const { code, output } = await stage.propose(rights(), { env });
      assert.equal(code, 0, output);
    });

    test('a request from a fork, which gets no token of the job, is not planned', async () => {
      const none = { ACTIONS_ID_TOKEN_REQUEST_TOKEN: '' };
      const { code, output } = await stage.propose(rights(), { env: none, idToken: false });
      assert.equal(code, 4, output);
      assert.match(output, /A pull request from a fork gets none/);
    });
  });

describe('the GitHub action and the GitLab template', () => {
  test('the action refuses pull_request_target, whose jobs have the rights of the repository', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'bailiwick-action-'));
    const { code, output } = await runAction(createRunner(folder), {
      github: { event_name: 'pull_request_target', ref: 'refs/heads/main', token: '', event: {} },
      inputs: {},
      env: {},
      cwd: folder,
    });
    rmSync(folder, { recursive: true });
    assert.equal(code, 1);
    assert.match(output, /a fork would get the rights of this repository/);
  });

  test('the action and the template have no expression in a script', () => {
    for (const { run, shell } of action.runs.steps) {
      assert.doesNotMatch(run, /\$\{\{/);
      assert.equal(shell, 'bash');
    }
    const template = readFileSync(path.join(root, 'deploy/forge/gitlab/bailiwick.yml'), 'utf8');
    const scripts = [...template.matchAll(/^ {2}(?:before_)?script:\n((?: {4}.*\n)+)/gm)];
    assert.equal(scripts.length, 3);
    for (const [script] of scripts) assert.doesNotMatch(script, /\$\[\[/);
  });

  test('the action and the template have the inputs that the page sets', () => {
    const page = readFileSync(path.join(root, 'docs/access-as-pull-requests.md'), 'utf8');
    const [, workflow, include] = [...page.matchAll(/```yaml\n([^]*?)```/g)].map(
      ([, text = '']) => parse(text) as unknown,
    );
    const { steps } = (workflow as { jobs: { access: { steps: Array<{ with?: object }> } } }).jobs
      .access;
    const [included] = (include as { include: Array<{ inputs: object }> }).include;
    for (const [inputs = {}, declared] of [
      [steps[1]?.with, action.inputs],
      [included?.inputs, templateInputs],
    ] as const)
      for (const name of Object.keys(inputs)) assert.ok(name in declared, name);
    const required = Object.entries(action.inputs).filter(([, input]) => input.required);
    for (const [name] of required) assert.ok(name in (steps[1]?.with ?? {}), name);
  });
});
