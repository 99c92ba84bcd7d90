import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type PortalStage, startPortal } from '../operations/notifications/portal-calls.ts';
import { bodyOf } from '../support/answers.ts';

const page = readFileSync(path.join(import.meta.dirname, '../../docs/receivers-portal.md'), 'utf8');

describe('docs/receivers-portal.md', () => {
  let on: PortalStage;
  before(async () => {
    on = await startPortal('one process');
  });
  after(() => on?.stack.stop());

  test('its calls work in the order of the page', async () => {
    const values: Record<string, string> = {
      TOKEN: on.owner.token,
      TENANT: on.tenant,
      ENDPOINT: await on.endpoint(`${on.stack.inboxUrl}/hooks/documented`),
    };
    const calls = [
      ...page.matchAll(/^curl -s "\$BAILIWICK_URL\/(\w+)"((?:(?!\ncurl)[^])*?)-d '(\{.*\})'$/gm),
    ].map(([, operation = '', headers = '', data = '']) => ({ operation, headers, data }));
    assert.deepEqual(
      calls.map(({ operation }) => operation),
      [
        'WebhookPortals_Create',
        'Portal_Open',
        'Portal_Get',
        'Portal_ListAttempts',
        'Portal_ReplayFailed',
      ],
    );
    for (const { operation, headers, data } of calls) {
      const [, bearer] = /Bearer \$(\w+)/.exec(headers) ?? [];
      const text = data.replaceAll(/'\$(\w+)'/g, (_, name: string) => values[name] ?? name);
      const body = bodyOf(
        await on.call(operation, JSON.parse(text) as object, bearer && values[bearer]),
      );
      if (operation === 'WebhookPortals_Create')
        values['LINK_TOKEN'] = new URL(String(body['Link'])).hash.slice(1);
      if (operation === 'Portal_Open') values['SESSION'] = String(body['Token']);
    }
  });
});
