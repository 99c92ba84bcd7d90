import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { loopback } from '@bailiwick/deploy/local/ports.ts';
import { doMainJob } from '../main-job.ts';
import { startStack } from '../support/harness.ts';
import { choosePorts } from '../support/own-stack.ts';
import { createAuthority } from './authority.ts';
import { mountMaterial } from './mount.ts';

const called = ['identity', 'access', 'sso', 'notifications'] as const;

// By host name, as in a cluster: SNI cannot contain an IP address.
describe('five processes with TLS between them', () => {
  for (const topology of ['five processes', 'five processes over gRPC'] as const) {
    test(`${topology} do the main flow, and reject calls without a certificate`, async (t) => {
      const authority = await createAuthority();
      const { environment } = mountMaterial(t, {
        ...(await authority.issue({ hosts: ['localhost'] })),
        ca: authority.ca,
      });
      const ports = await choosePorts();
      const urls = called.map((name) => [
        `BAILIWICK_${name.toUpperCase()}_URL`,
        topology === 'five processes'
          ? `https://localhost:${ports[name].rpc}`
          : `dns:///localhost:${ports[name].grpc}`,
      ]);
      const stack = await startStack(
        topology,
        { ...environment, ...Object.fromEntries(urls) },
        { ports },
      );
      t.after(() => stack.stop());
      await doMainJob(stack);
      const { rpc, grpc } = stack.wiring.ports.access;
      for (const port of [rpc, grpc]) {
        await assert.rejects(fetch(`http://${loopback}:${port}/`, { method: 'HEAD' }));
        await assert.rejects(fetch(`https://${loopback}:${port}/`, { method: 'HEAD' }));
      }
    });
  }
});
