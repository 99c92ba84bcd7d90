/**
 * The names of rows that transactions take turns on and lock. They stay: the previous version, which
 * runs beside this one during an upgrade, locks the same names.
 */
export const rowOf = {
  endpoint: (tenant: string, id: string) => `endpoint ${tenant} ${id}`,
  /** The number of a tenant's endpoints of a kind. */
  endpoints: (kind: 'webhook' | 'chat', tenant: string) => `${kind}_endpoint ${tenant}`,
  event: (tenant: string, id: string) => `event ${tenant} ${id}`,
  portal: (tenant: string, id: string) => `portal ${tenant} ${id}`,
  /** Whether an event is published already, inside the transaction that has its turn on `event`. */
  published: (tenant: string, id: string) => `published_event ${tenant} ${id}`,
  /** A rotation from its first read on, around the transaction that locks `endpoint`. */
  rotation: (tenant: string, endpoint: string) => `rotate endpoint ${tenant} ${endpoint}`,
};
