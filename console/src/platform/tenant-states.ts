import type { ResponseOf } from '@bailiwick/client/client.ts';
import type { States } from '../parts/state.tsx';

export type Tenant = ResponseOf<'Tenants_Get'>['Tenant'];

export const tenantStates: States = {
  active: { text: 'platform.active', color: 'teal.9' },
  suspended: { text: 'platform.suspended', color: 'red.8' },
  deleting: { text: 'platform.deleting', color: 'gray.7' },
};
