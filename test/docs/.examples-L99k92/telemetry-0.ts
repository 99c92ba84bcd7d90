import { counter, createLog } from '@bailiwick/telemetry';

const published = counter<{ outcome: 'sent' | 'failed' }>({
  name: 'orders_published_total',
  about: 'Published orders, by outcome.',
});
published.add({ outcome: 'sent' });

// The second argument replaces standard output.
const log = createLog('orders', (line) => console.log(line.replace(/"time":"[^"]+",/, '').trim()));
log.warn('publishing orders failed, retrying', { batch: 3 });
