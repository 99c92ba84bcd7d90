import { randomBytes } from 'node:crypto';
import { openForPurpose, parseKeyRing, sealForPurpose } from '@bailiwick/keys';

const ring = parseKeyRing(`2026-06:${randomBytes(32).toString('base64')}`);
const sealed = sealForPurpose(ring, 'task-token', 'secret', ['ada@example.com']);

console.log(openForPurpose(ring, 'task-token', sealed, ['ada@example.com']));
try {
  openForPurpose(ring, 'task-token', sealed, ['eve@example.com']);
} catch {
  console.log('does not open in another context');
}
