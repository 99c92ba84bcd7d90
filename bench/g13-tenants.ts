import { createTenant } from '@bailiwick/test/support/people.ts';
import { type Bench, compare, interleave, withErrors } from './bench.ts';
import { closedLoop, openPool, operation, type Shot } from './driver.ts';
import { fillTenants } from './generate.ts';
import { createPeople, startMeasured } from './stack.ts';

const few = 10;
const many = 10_000;

/** G13, operations of each kind among ten thousand tenants compared with ten. */
export const tenants: Bench = async ({ seconds, rounds }) => {
  const [small, large] = await Promise.all([startWith(few), startWith(many)]);
  const rows = [];
  for (const name of Object.keys(small.shots)) {
    const turn =
      ({ pool, shots }: typeof small) =>
      () =>
        closedLoop({ pool, next: () => shots[name]?.() ?? { path: '/' } }, 1, seconds / 2);
    const results = await interleave({ large: turn(large), small: turn(small) }, rounds);
    const row = {
      id: 'G13',
      what: `${name} among ${many} tenants`,
      unit: 'ms',
      against: `${few} tenants`,
      target: { most: 1.1 },
    };
    const series = compare(
      row,
      results.large.map(({ p50 }) => p50),
      results.small.map(({ p50 }) => p50),
    );
    rows.push(withErrors(series, results.large, results.small));
  }
  await Promise.all([small, large].flatMap(({ pool, stack }) => [pool.close(), stack.stop()]));
  return rows;
};

async function startWith(count: number) {
  const stack = await startMeasured('one process');
  const [person] = await createPeople(stack, 1);
  const token = person?.token ?? '';
  const Tenant = await createTenant(stack, token);
  await fillTenants(stack, count);
  const { body } = await stack.call('Account_Get', {}, token);
  const UserID = (body['User'] as { ID: string }).ID;
  await stack.call('Groups_Save', { Group: { Tenant, Path: 'eng' } }, token);
  let turn = 0;
  const shots: Record<string, () => Shot> = {
    Users_GetByEmail: () => operation('Users_GetByEmail', { Email: person?.email }, token),
    Tenants_Get: () => operation('Tenants_Get', { Tenant }, token),
    TenantMembers_List: () => operation('TenantMembers_List', { Tenant }, token),
    Groups_List: () => operation('Groups_List', { Tenant }, token),
    Groups_Save: () =>
      operation('Groups_Save', { Group: { Tenant, Path: 'eng', Name: `name ${turn++}` } }, token),
    Grants_List: () => operation('Grants_List', { UserID }, token),
    Access_Check: () =>
      operation('Access_Check', { Tenant, Subject: UserID, Permission: 'app.x.read' }, token),
    Audit_List: () => operation('Audit_List', { Tenant }, token),
    // Last, because it adds rows that the others read.
    Grants_Add: () =>
      operation(
        'Grants_Add',
        { Grant: { Tenant, UserID, Role: 'auditor', Resource: `thing-${turn++}` } },
        token,
      ),
  };
  // A decision without a grant is a denial, which is still a successful call.
  return { stack, pool: openPool(stack.url), shots };
}
