import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isUnavailable, startFollowing, token } from '../testing/following.ts';

const badFrames: Record<string, string | Uint8Array> = {
  'no JSON': '{',
  'no object': '[]',
  null: 'null',
  'no type': '{}',
  'an unknown type': '{"Type":"hello"}',
  'a second welcome': '{"Type":"welcome","BeatMs":500,"IdleBeatMs":20000}',
  'an ok without a lease': '{"Type":"ok","ID":1}',
  'an ok with a lease that is text': '{"Type":"ok","ID":1,"LeaseMs":"1500"}',
  'an ok with a negative lease': '{"Type":"ok","ID":1,"LeaseMs":-1}',
  'an ok with an endless lease': '{"Type":"ok","ID":1,"LeaseMs":1e999}',
  'a drop without handles': '{"Type":"drop","ID":1}',
  'a drop with a broken handle': '{"Type":"drop","ID":1,"Handles":[1.5]}',
  'an answer to a question that was not asked':
    '{"Type":"answer","ID":99,"Handle":5,"LastsMs":1,"Value":{}}',
  'a second answer with the same handle':
    '{"Type":"answer","ID":1,"Handle":1,"LastsMs":9000,"Value":{}}',
  'an answer without a value': '{"Type":"answer","ID":1,"Handle":5,"LastsMs":1}',
  'an answer without a time': '{"Type":"answer","ID":1,"Handle":5,"Value":{}}',
  'an answer with a missing set':
    '{"Type":"answer","ID":1,"Handle":5,"LastsMs":1,"Value":{"Sets":[],"Grants":{"":[0]}}}',
  'an answer with sets that are text':
    '{"Type":"answer","ID":1,"Handle":5,"LastsMs":1,"Value":{"Sets":["*"]}}',
  'an answer with grants that are a list':
    '{"Type":"answer","ID":1,"Handle":5,"LastsMs":1,"Value":{"Grants":[]}}',
  'bytes that are no text': new Uint8Array([123, 125]),
  'a frame of ten megabytes': `{"Type":"drop","ID":1,"Handles":[],"X":"${'x'.repeat(10 << 20)}"}`,
};
for (const [what, frame] of Object.entries(badFrames))
  test(`${what} ends the connection, with all entries`, async (t) => {
    const { follower: own, gateway } = await startFollowing(t);
    const rights = await own.rights(token);
    const connection = await gateway.connection(0);
    connection.sendText(frame);
    assert.equal(await connection.closed(), 4400);
    assert.throws(() => rights.can('app.reports.read'), isUnavailable);
    await gateway.connection(1);
    await rights.refresh();
    assert.equal(rights.can('app.reports.read'), true);
  });

test('unknown fields, foreign oks and drops of unknown handles change nothing', async (t) => {
  const { follower: own, gateway } = await startFollowing(t);
  const rights = await own.rights(token);
  const connection = await gateway.connection(0);
  connection.sendText('{"Type":"ok","ID":99,"LeaseMs":60000,"More":1}');
  await connection.drop(77, 78);
  assert.equal(rights.can('app.reports.read'), true);
  assert.equal(gateway.connections.length, 1);
});

test('frames before the welcome end the connection', async (t) => {
  const { gateway } = await startFollowing(t, { welcomes: false });
  const connection = await gateway.connection(0);
  await connection.read('hello');
  connection.ok(1);
  assert.equal(await connection.closed(), 4400);
});
