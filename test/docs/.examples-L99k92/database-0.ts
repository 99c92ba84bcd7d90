import { execute, openDatabase, type Statement } from '@bailiwick/database';
import { createLog } from '@bailiwick/telemetry';

const database = openDatabase({
  service: 'orders',
  url: 'postgres://orders:secret@localhost/bailiwick',
  entities: [],
  poolSize: 10,
  log: createLog('orders'),
});

const countOrders: Statement = {
  name: 'orders.count',
  text: 'select count(*)::int as count from purchase where tenant = $1',
};
const [found] = await database.query<{ count: number }>(countOrders, ['tnt_1']);
console.log(found?.count);

// Calls that change the same row run one after the other, without a connection while they wait.
await database.transaction({ tenant: 'tnt_1', row: 'purchase 7' }, (em) =>
  execute(em, 'update purchase set paid = true where tenant = $1 and id = $2', ['tnt_1', 7]),
);
await database.close();
