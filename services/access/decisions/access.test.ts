import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RightsCache } from '@bailiwick/broker';
import { type Call, createPager } from '@bailiwick/pipeline';
import {
  AccessCheckRequestSchema,
  AccessListPermissionsRequestSchema,
} from '@bailiwick/proto/gen/bailiwick/access/v1/access_pb.ts';
import type { Database } from '@bailiwick/store';
import { create } from '@bufbuild/protobuf';
import type { Directory } from '../directory.ts';
import { decisionHandlers } from './access.ts';

test("a cached decision of a user is about the request's tenant, not about the caller's", async () => {
  const names: string[] = [];
  const rightsCache = {
    getOrLoad(name: string) {
      names.push(name);
      return Promise.resolve(new Map());
    },
  } as unknown as RightsCache;
  const handlers = decisionHandlers({
    database: {} as Database,
    directory: {} as Directory,
    rightsCache,
    pager: createPager([]),
  });
  const caller = { type: 'user', id: 'usr_1', tenant: 'tnt_own', narrowedTo: [] };
  const call = {
    caller: {
      ...caller,
      ssoTenant: 'tnt_sso',
      limitedTo: 'tnt_limit',
      assurance: 'aal1',
      ownAssurance: 'aal2',
      operator: 'usr_2',
      voucher: 'user usr_3',
    },
  } as unknown as Call;
  const tenant = 'tnt_asked';
  await handlers.check(create(AccessCheckRequestSchema, { tenant, permission: 'app.read' }), call);
  await handlers.listPermissions(create(AccessListPermissionsRequestSchema, { tenant }), call);
  const name = 'tnt_asked usr_1 tnt_sso tnt_limit aal1 aal2 usr_2 user usr_3';
  assert.deepEqual(names, [name, name]);
});
