import type { Client } from '../../client/client.ts';
import { type CommandInput, textOf } from '../command.ts';
import { type Connection, connect, urlOf } from '../connect.ts';
import { Refusal, UsageError } from '../failure.ts';
import { readText } from '../input.ts';
import { defaultTenant, findTenant } from '../tenant.ts';
import { type Change, differences } from './changes.ts';
import { type RightsFile, readRightsFile } from './file.ts';
import { withLonger } from './gains.ts';
import { type Names, readLive, resolveRules, resolveSubjects } from './live.ts';
import { assertKnown, findViolations } from './policy.ts';
import { type Preview, previewChanges } from './preview.ts';

// Compares a file with its tenant.

export type Planned = {
  client: Client;
  changes: Change[];
  /** Records that the file does not name, and that stay without --prune. */
  extra: Change[];
  names: Names;
  preview: Preview;
  /** The violations of the policy, one line each. */
  violations: string[];
};

export async function makePlan({ values, rest }: CommandInput): Promise<Planned> {
  const file = textOf(values['file']);
  if (file === undefined || rest.length > 0) throw new UsageError('--file FILE is required');
  const written = await readRightsFile(await readText(file, '--file'), file);
  const before = await readBase(textOf(values['base']));
  const client = await connect(values);
  const connection: Connection = values;
  const name = textOf(values['tenant']) || written.Tenant || defaultTenant(urlOf(connection));
  if (name === undefined)
    throw new Refusal(
      'name a tenant: as Tenant in the file, with --tenant, or a default with bailiwick use',
    );
  const tenant = await findTenant(client, name);
  const { rights, names } = await resolveSubjects(client, tenant, written);
  await assertKnown(client, tenant, rights);
  const difference = differences(tenant, rights, await readLive(client, tenant, rights), names);
  const prune = values['prune'] === true;
  const changes = prune ? [...difference.changes, ...difference.removals] : difference.changes;
  const forBot = textOf(values['for-bot']);
  const preview = await previewChanges(client, tenant, changes, { forBot });
  const rules = [
    ...(rights.Policy ?? []),
    ...(await resolveRules(client, tenant, before.Policy ?? [])),
  ];
  const violations = await findViolations(client, tenant, rules, { changes, preview, names });
  return {
    client,
    changes,
    extra: prune ? [] : difference.removals,
    names,
    preview: await withLonger(client, tenant, { changes, preview }),
    // Most rules are in both files.
    violations: [...new Set(violations)],
  };
}

/** The file before the change. An empty one has no policy: the file is new. */
async function readBase(file: string | undefined): Promise<RightsFile> {
  if (file === undefined) return {};
  const text = await readText(file, '--base');
  return text.trim() === '' ? {} : readRightsFile(text, file);
}
