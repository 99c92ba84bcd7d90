import assert from 'node:assert/strict';
import { test } from 'node:test';
import { maskedUrl } from './masked-url.ts';

test('a masked URL shows the host and the words of the path, and nothing that may be a secret', () => {
  for (const [url, masked] of [
    ['https://hooks.example.com', 'https://hooks.example.com/'],
    ['https://hooks.example.com:8443/in/orders', 'https://hooks.example.com:8443/in/orders'],
    ['https://hooks.example.com/in?key=secret', 'https://hooks.example.com/in?…'],
    ['https://hooks.example.com/in/#part', 'https://hooks.example.com/in/'],
    [
      'https://hooks.example.com/services/T0/Zx81kQ04mNvB7cYt2LpRs/in',
      'https://hooks.example.com/services/T0/…/in',
    ],
    ['https://user:secret@hooks.example.com/in', 'https://hooks.example.com/in'],
    ['no url', ''],
  ] as const)
    assert.equal(maskedUrl(url), masked);
});
