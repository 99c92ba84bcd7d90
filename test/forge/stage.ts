import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { githubJob, gitlabJob, newSigning, times } from '../sso/issuer/keyless.ts';
import { bodyOf, readList } from '../support/answers.ts';
import { createTenant, signUp } from '../support/people.ts';
import { sharedStack } from '../support/shared.ts';
import {
  createRunner,
  gitlabJobOf,
  isInPipeline,
  type Outcome,
  runAction,
  runJob,
} from './jobs.ts';
import { startForge, writer } from './server.ts';

// A tenant, its two bots as docs/access-as-pull-requests.md creates them, a repository, and a forge that runs the jobs.

const root = path.resolve(import.meta.dirname, '../..');
const page = readFileSync(path.join(root, 'docs/access-as-pull-requests.md'), 'utf8');
const helpers =
  readFileSync(path.join(root, 'README.md'), 'utf8')
    .match(/^(call|field)\(\).*$/gm)
    ?.join('\n') ?? '';
const file = 'access.yaml';

/** The commands of a section of the page. */
function commandsOf(section: string): string {
  const [, text = ''] = new RegExp(`^## ${section}\\n([^]*?)(?=^## )`, 'm').exec(page) ?? [];
  const [, indent = '', code = ''] = /^( *)```sh\n([^]*?)^ *```$/m.exec(text) ?? [];
  return code.replaceAll(new RegExp(`^${indent}`, 'gm'), '');
}

export type Kind = 'github' | 'gitlab';
type Claims = Record<string, unknown>;
/** The parts of a job that a test changes. */
export type Over = {
  claims?: Claims | undefined;
  env?: Record<string, string> | undefined;
  /** The token that comments. */
  token?: string | undefined;
  /** The inputs of the action or template that the job sets besides the bots. */
  inputs?: Record<string, string> | undefined;
  /** Whether the forge gives the job a token. */
  idToken?: boolean | undefined;
};
export type Stage = Awaited<ReturnType<typeof setStage>>;

export async function setStage(kind: Kind) {
  const folder = mkdtempSync(path.join(tmpdir(), `bailiwick-${kind}-`));
  const stack = await sharedStack('one process');
  const runner = createRunner(folder);
  const issuer = newSigning();
  let claims: Claims = {};
  const forge = await startForge(kind, (aud) => issuer.sign({ ...claims, aud }));
  const owner = await signUp(stack);
  const tenant = await createTenant(stack, owner.token);
  const call = async (operation: string, request: object, token = owner.token) =>
    bodyOf(await stack.call(operation, request, token)) as Record<string, unknown>;

  const setup = [
    helpers,
    commandsOf('Create the two bots'),
    commandsOf(kind === 'github' ? 'Set up GitHub' : 'Set up GitLab'),
    'echo "bots $plan_bot $apply_bot"',
  ].join('\n');
  const result = await runner.run(['bash', '-euo', 'pipefail', '-c', setup], folder, {
    api: stack.url,
    tenant,
    token: owner.token,
  });
  const [, planBot = '', applyBot = ''] = /bots (bot_\w+) (bot_\w+)/.exec(result.output) ?? [];
  assert.notEqual(applyBot, '', result.output);
  for (const Bot of [planBot, applyBot]) {
    const { items } = await readList<object>(
      stack,
      'BotTrusts_List',
      { Tenant: tenant, Bot },
      owner.token,
    );
    assert.equal(items.length, 1);
    // Nothing outside is asked for keys.
    for (const trust of items)
      await call('BotTrusts_Save', { Trust: { ...trust, JWKS: issuer.jwks } });
  }

  const origin = path.join(folder, 'origin.git');
  const work = path.join(folder, 'work');
  const git = async (...args: string[]) => {
    const { code, output } = await runner.run(['git', ...args], work);
    assert.equal(code, 0, output);
    return output.trim();
  };
  for (const args of [
    ['init', '--quiet', '--bare', '-b', 'main', origin],
    ['clone', '--quiet', origin, work],
  ])
    assert.equal((await runner.run(['git', ...args], folder)).code, 0);
  await git('checkout', '-q', '-b', 'main');
  await git('commit', '-q', '--allow-empty', '-m', 'start');
  await git('push', '-q', 'origin', 'main');

  const bots = { url: stack.url, 'plan-bot': planBot, 'apply-bot': applyBot };
  const event = path.join(folder, 'event.json');

  async function commit(text: string, { inputs, link = false }: Over & { link?: boolean }) {
    const name = inputs?.['file'] ?? file;
    const place = path.join(work, name);
    try {
      unlinkSync(place);
    } catch {
      // The first commit has no file.
    }
    if (link) symlinkSync(text, place);
    else writeFileSync(place, text);
    await git('add', name);
    await git('commit', '-q', '--allow-empty', '-m', 'access');
    return git('rev-parse', 'HEAD');
  }

  /** A pull request with this text of the file, from a branch with a hostile name. */
  async function propose(
    text: string,
    { link = false, ...over }: Over & { link?: boolean } = {},
  ): Promise<Outcome> {
    const branch = 'x-$(touch${IFS}pwned)';
    await git('checkout', '-q', '-B', branch, 'main');
    await commit(text, { ...over, link });
    await git('checkout', '-q', '--detach', 'main');
    await git('merge', '-q', '--no-ff', '-m', 'merge', branch);
    const outcome = await (kind === 'github' ? planOnGithub : planOnGitlab)(over, branch);
    await git('checkout', '-q', 'main');
    return outcome;
  }

  function planOnGithub({ claims: own, env, inputs, token = writer }: Over, branch: string) {
    claims = {
      ...githubJob(),
      sub: 'repo:acme/access:pull_request',
      event_name: 'pull_request',
      ...own,
    };
    const title = '"; touch pwned; # $(touch pwned) `touch pwned`';
    writeFileSync(
      event,
      JSON.stringify({ pull_request: { number: 5, title, head: { ref: branch } } }),
    );
    return runAction(runner, {
      github: { event_name: 'pull_request', ref: 'refs/pull/5/merge', token, event: {} },
      inputs: { ...bots, ...inputs },
      env: { ...ofGithub(), GITHUB_BASE_REF: 'main', GITHUB_HEAD_REF: branch, ...env },
      cwd: work,
    });
  }

  const ofGithub = () => ({
    GITHUB_API_URL: forge.url,
    GITHUB_REPOSITORY: 'acme/access',
    GITHUB_EVENT_PATH: event,
    ACTIONS_ID_TOKEN_REQUEST_URL: `${forge.url}/job-token?api-version=2.0`,
    ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'runner',
  });

  function planOnGitlab(
    { claims: own, env, inputs, token = writer, idToken = true }: Over,
    branch: string,
  ) {
    const variables = {
      CI_PIPELINE_SOURCE: 'merge_request_event',
      CI_API_V4_URL: forge.url,
      CI_PROJECT_ID: '20',
      CI_MERGE_REQUEST_PROJECT_ID: '20',
      CI_MERGE_REQUEST_IID: '5',
      CI_MERGE_REQUEST_TARGET_BRANCH_NAME: 'main',
      CI_MERGE_REQUEST_SOURCE_BRANCH_NAME: branch,
      CI_MERGE_REQUEST_TITLE: '"; touch pwned; # $(touch pwned)',
      BAILIWICK_GITLAB_TOKEN: token,
      ...env,
    };
    const job = gitlabJobOf('bailiwick-plan', { ...bots, ...inputs });
    assert.equal(isInPipeline(job, variables), true);
    assert.equal(isInPipeline(gitlabJobOf('bailiwick-apply', bots), variables), false);
    const sub = `project_path:acme/access:ref_type:branch:ref:${branch}`;
    const ofJob = {
      ...gitlabJob(),
      sub,
      ref: branch,
      pipeline_source: 'merge_request_event',
      ref_protected: 'false',
      ...own,
    };
    return runJob(runner, {
      job,
      tokenFor: (aud) => (idToken ? issuer.sign({ ...ofJob, aud }) : ''),
      env: variables,
      cwd: work,
    });
  }

  /** The commits before a push, by the commit that it pushed. */
  const befores = new Map<string, string>();

  /** The job of a push to a branch that has this text of the file. */
  async function merge(text: string, over: Over = {}): Promise<Outcome> {
    await git('checkout', '-q', 'main');
    const before = await git('rev-parse', 'HEAD');
    const sha = await commit(text, over);
    befores.set(sha, before);
    await git('push', '-q', 'origin', 'main');
    return apply(sha, over);
  }

  /** The job of the push of this commit. */
  async function apply(sha: string, over: Over = {}): Promise<Outcome> {
    const before = befores.get(sha) ?? '';
    await git('checkout', '-q', '--detach', sha);
    const outcome = await (kind === 'github' ? applyOnGithub : applyOnGitlab)(sha, before, over);
    await git('checkout', '-q', 'main');
    return outcome;
  }

  function applyOnGithub(sha: string, before: string, { claims: own, env, inputs }: Over) {
    const job_workflow_ref = 'acme/access/.github/workflows/access.yaml@refs/heads/main';
    claims = {
      ...githubJob(),
      sub: 'repo:acme/access:ref:refs/heads/main',
      job_workflow_ref,
      ...own,
    };
    return runAction(runner, {
      github: {
        event_name: 'push',
        ref: 'refs/heads/main',
        token: writer,
        event: { repository: { default_branch: 'main' }, before },
      },
      inputs: { ...bots, ...inputs },
      env: { ...ofGithub(), GITHUB_REF: 'refs/heads/main', GITHUB_SHA: sha, ...env },
      cwd: work,
    });
  }

  function applyOnGitlab(sha: string, before: string, { claims: own, env, inputs }: Over) {
    const variables = {
      CI_PIPELINE_SOURCE: 'push',
      CI_COMMIT_BRANCH: 'main',
      CI_DEFAULT_BRANCH: 'main',
      CI_COMMIT_SHA: sha,
      CI_COMMIT_BEFORE_SHA: before,
      ...env,
    };
    const job = gitlabJobOf('bailiwick-apply', { ...bots, ...inputs });
    assert.equal(isInPipeline(job, variables), true);
    assert.equal(isInPipeline(job, { ...variables, CI_COMMIT_BRANCH: 'other' }), false);
    const ofJob = {
      ...gitlabJob(),
      sub: 'project_path:acme/access:ref_type:branch:ref:main',
      ...own,
    };
    return runJob(runner, {
      job,
      tokenFor: (aud) => issuer.sign({ ...ofJob, ...times(), aud }),
      env: variables,
      cwd: work,
    });
  }

  return {
    stack,
    forge,
    folder,
    work,
    tenant,
    owner,
    call,
    propose,
    merge,
    apply,
    git,
    runner,
    planBot,
    applyBot,
    async newMember() {
      const person = await signUp(stack);
      await call('TenantMembers_Add', { Tenant: tenant, UserID: person.id }, stack.platformKey);
      return person;
    },
    isAllowed: async (Subject: string, Permission: string) =>
      (await call('Access_Check', { Tenant: tenant, Subject, Permission }))['Allowed'],
    async stop() {
      forge.stop();
      rmSync(folder, { recursive: true, force: true });
      await stack.stop();
    },
  };
}
