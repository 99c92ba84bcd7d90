import { createPools, egressRules, request } from '@bailiwick/egress';

const limits = { totalMs: 10_000, answerBytes: 16 * 1024 };
const pools = createPools({ connectMs: 3000, ...limits });
const egress = egressRules({ hosts: [], cidrs: [], ports: [] });

const { status, body } = await request(
  { pools, egress },
  {
    method: 'POST',
    url: 'https://example.com/hook',
    headers: { 'content-type': 'application/json' },
    body: new TextEncoder().encode('{}'),
    limits,
    signal: AbortSignal.timeout(15_000),
  },
);
console.log(status, body.length);
await pools.close();
