import { readFileSync } from 'node:fs';
import { UsageError } from '../failure.ts';
import { type Comment, type Forge, type Requests, request } from './forge.ts';

// GitHub and GitLab, as the variables of a job describe them. Texts of the request, such as its title and branch, are not read.

type Variables = Readonly<Record<string, string | undefined>>;

/** A comment of GitHub, or a note of GitLab. */
type CommentRecord = {
  id: number;
  body: string | null;
  user?: { login: string };
  author?: { id: number };
};

const pageSize = '100';

function needed(variables: Variables, name: string, what: string): string {
  const variable = variables[name]?.trim();
  if (!variable) throw new UsageError(`${name} is missing: ${what}`);
  return variable;
}

function page(url: URL, number: number): URL {
  const target = new URL(url);
  target.searchParams.set('per_page', pageSize);
  target.searchParams.set('page', String(number));
  return target;
}

function forgeOf(
  requests: Requests,
  at: { comments: URL; comment: (id: number) => URL; update: 'PATCH' | 'PUT' },
  isOwn: (records: CommentRecord) => Promise<boolean>,
): Forge {
  return {
    async list(number) {
      const { json, more } = await request(requests, 'GET', page(at.comments, number));
      const records = json as CommentRecord[];
      const comments = records.map(
        async (one): Promise<Comment> => ({
          id: one.id,
          body: one.body ?? '',
          isOwn: await isOwn(one),
        }),
      );
      return { comments: await Promise.all(comments), more };
    },
    create: async (body) => void (await request(requests, 'POST', at.comments, { body })),
    update: async (id, body) => void (await request(requests, at.update, at.comment(id), { body })),
  };
}

/** The author of comments with a workflow's own token. */
const workflow = 'github-actions[bot]';

export function github(variables: Variables, author = workflow): Forge {
  const base = variables['GITHUB_API_URL'] || 'https://api.github.com';
  const repository = needed(variables, 'GITHUB_REPOSITORY', 'owner/name');
  const requests: Requests = {
    headers: {
      accept: 'application/vnd.github+json',
      authorization: `Bearer ${needed(variables, 'GITHUB_TOKEN', 'the token of the workflow')}`,
      'x-github-api-version': '2022-11-28',
    },
    needs: 'the permission pull-requests: write',
  };
  const [owner = '', name = ''] = repository.split('/').map(encodeURIComponent);
  const issues = `${base}/repos/${owner}/${name}/issues`;
  return forgeOf(
    requests,
    {
      comments: new URL(`${issues}/${pullRequestOf(variables)}/comments`),
      comment: (id) => new URL(`${issues}/comments/${id}`),
      update: 'PATCH',
    },
    ({ user }) => Promise.resolve(user?.login === author),
  );
}

/** The number of the pull request, from the file that describes the event. */
function pullRequestOf(variables: Variables): number {
  const file = needed(variables, 'GITHUB_EVENT_PATH', 'the file of the event');
  const { pull_request: request } = JSON.parse(readFileSync(file, 'utf8')) as {
    pull_request?: { number?: unknown };
  };
  if (!Number.isInteger(request?.number))
    throw new UsageError('the event of this workflow is not about a pull request');
  return Number(request?.number);
}

export function gitlab(variables: Variables): Forge {
  const base = needed(variables, 'CI_API_V4_URL', 'the address of the API');
  const project = needed(variables, 'CI_MERGE_REQUEST_PROJECT_ID', 'only merge requests have one');
  const number = needed(variables, 'CI_MERGE_REQUEST_IID', 'only merge requests have one');
  const requests: Requests = {
    headers: {
      'private-token': needed(variables, 'BAILIWICK_GITLAB_TOKEN', 'a project access token'),
    },
    needs: 'a project access token with the scope api and the role Reporter or higher',
  };
  const notes = `${base}/projects/${encodeURIComponent(project)}/merge_requests/${encodeURIComponent(number)}/notes`;
  let own: Promise<number> | undefined;
  const findOwnId = async () => {
    const { json } = await request(requests, 'GET', new URL(`${base}/user`));
    return (json as { id: number }).id;
  };
  return forgeOf(
    requests,
    { comments: new URL(notes), comment: (id) => new URL(`${notes}/${id}`), update: 'PUT' },
    async ({ author }) => author?.id === (await (own ??= findOwnId())),
  );
}
