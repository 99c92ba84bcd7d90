import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderFailure, renderPlan } from '@bailiwick/cli/state/markdown.ts';
import fc from 'fast-check';

// A plan as a comment in a forge: nothing that a user can name becomes markup, a link or a mention.

type Plan = Parameters<typeof renderPlan>[0];
type PlanFields = Partial<Pick<Plan, 'violations'>> & {
  texts?: readonly string[];
  gained?: Plan['preview']['Gained'];
  refused?: string[];
  names?: ReadonlyArray<[string, string]>;
};

function render({
  texts = [],
  gained = [],
  refused = [],
  violations = [],
  names = [],
}: PlanFields) {
  const changes = texts.map((text) => ({
    operation: 'Roles_Delete' as const,
    request: { Tenant: 'tnt_1', Slug: 'a' },
    text,
  }));
  return renderPlan({
    client: undefined as unknown as Plan['client'],
    changes,
    extra: changes,
    names: new Map(names),
    preview: { Gained: gained, Lost: gained, refused, notes: refused, complete: true },
    violations,
  });
}

/** The markup that the comment itself may contain. */
const frame =
  /<\/?(?:table|tr|th|td|code|pre|details|summary)>|\*\*(?:The policy forbids|Would be rejected|Notes|Error)\*\*|^### Access plan: [a-z0-9 ]+$/gm;

function assertInert(comment: string): void {
  const rest = comment.replaceAll(frame, ' ');
  // Digits, letters, entities, and the brackets of "Changes (3)".
  assert.match(rest.replaceAll(/\(\d+\)|&#\d+;|, and left alone/g, ''), /^[A-Za-z0-9 \n]*$/);
  for (const [entity, number] of rest.matchAll(/&#(\d+);/g))
    assert.ok(Number(number) > 31 && Number(number) !== 127, entity);
  // An empty line would end the block of HTML.
  for (const [inner] of comment.matchAll(/<(table|details|pre)>[^]*?<\/\1>/g))
    assert.doesNotMatch(inner, /\n\s*\n/);
  assert.ok(comment.length < 65_000, `${comment.length}`);
}

const hostile = [
  '@everyone',
  '[x](javascript:alert(1))',
  '![x](https://evil.example/x.png)',
  '<img src=x onerror=alert(1)>',
  '</pre></code><script>',
  '| a | b |',
  '`code`',
  'https://evil.example www.evil.example mail@evil.example',
  '#1 !2 ~label $3 %4 &5 owner/name#6 :tada:',
  'a\n\n# heading\r\n<!-- bailiwick -->',
  '\u202egrp\u0000\u001b[31m',
  '/assign @root',
  '&lt;b&gt; &#60;',
];

test('hostile names stay inert in every part of the comment', () => {
  for (const name of hostile) {
    const gained = [{ Subject: 'usr_1', Permission: name, Resource: name }];
    const comment = render({
      texts: [name],
      gained,
      refused: [name],
      violations: [name],
      names: [['usr_1', name]],
    });
    assertInert(comment);
    assertInert(renderFailure([name]));
  }
});

test('any text stays inert, and the comment is short enough for GitHub', () => {
  const any = fc.string({ unit: 'binary', maxLength: 300 });
  fc.assert(
    fc.property(fc.array(any, { maxLength: 20 }), fc.nat(400), (texts, times) => {
      const many = Array.from({ length: times }, () => texts).flat();
      const gained = many.map((text, index) => ({
        Subject: `usr_${index}`,
        Permission: text,
        Resource: text,
      }));
      assertInert(render({ texts: many, gained, refused: many, violations: many }));
    }),
    { numRuns: 60 },
  );
});

test('the comment says who gains and who loses what, with the names of the file', () => {
  const gained = ['app.a', 'app.*'].map((Permission) => ({
    Subject: 'usr_1',
    Permission,
    Resource: '',
  }));
  const comment = render({ texts: ['+ role a'], gained, names: [['usr_1', 'ada']] });
  assert.match(comment, /^### Access plan: 1 change\n/);
  const row = (verb: string) =>
    `<tr><td>${verb}</td><td><code>ada</code></td><td><code>app&#46;a</code> <code>app&#46;&#42;</code></td><td>the tenant</td></tr>`;
  for (const verb of ['gains', 'loses']) assert.ok(comment.includes(row(verb)), comment);
  assert.ok(comment.includes('<summary>Changes (1)</summary>\n<pre>&#43; role a</pre>'), comment);
  assert.match(render({ violations: ['no'] }), /^### Access plan: forbidden by the policy\n/);
  assert.match(render({ refused: ['no'] }), /^### Access plan: would be rejected\n/);
  assert.match(render({}), /^### Access plan: no changes$/);
});
