import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import type { Stack } from '../support/harness.ts';
import { takePort } from '../support/ports.ts';
import { findPython } from '../support/python.ts';
import { sharedStack } from '../support/shared.ts';
import {
  type Account,
  type Application,
  assertFollowsSubject,
  assertRefusesOthers,
  type Owner,
  registerApp,
  signInTo,
  startOwner,
} from './applications.ts';
import { readSection, type Section } from './connect-page.ts';
import { type Program, startCommand } from './guides/program.ts';

// Starts a new Django project with the settings and files of docs/connect-applications.md, and signs
// people in to it.

const run = promisify(execFile);

type Product = {
  heading: string;
  /** The setting without which the library sends no PKCE. */
  pkce: string;
  /** The template of the project's first page. */
  template(section: Section): string;
  /** Python that reads the subject that the library keeps of a user. */
  subject: string;
  begin: Application['begin'];
};

/** The page's form, sent as a browser does. */
async function sendForm(visit: Parameters<Application['begin']>[0]): Promise<string> {
  const { text } = await visit('/');
  const [, action = ''] = /<form method="post" action="([^"]*)"/.exec(text) ?? [];
  const [, csrfmiddlewaretoken = ''] =
    /name="csrfmiddlewaretoken" value="([^"]*)"/.exec(text) ?? [];
  assert.equal((await visit(action)).status, 405, 'a link');
  return (await visit(action, 'POST', { csrfmiddlewaretoken })).location;
}

const products: readonly Product[] = [
  {
    heading: 'Django',
    pkce: 'OIDC_USE_PKCE',
    template: () => '<a href="{% url \'oidc_authentication_init\' %}">Sign in</a>',
    subject: 'user.username',
    begin: async (visit) => {
      const [, link = ''] = /href="([^"]*)"/.exec((await visit('/')).text) ?? [];
      return (await visit(link)).location;
    },
  },
  {
    heading: 'Flask and others with Python Social Auth',
    pkce: 'SOCIAL_AUTH_OIDC_USE_PKCE',
    template: (section) => section.blocks('html').join(''),
    subject: 'user.social_auth.get(provider="oidc").uid',
    begin: sendForm,
  },
];

/** Views that show the first page, and the account of the person who is signed in. */
const views = (subject: string) => `
from django.http import JsonResponse
from django.shortcuts import render


def account(request):
    user = request.user
    if not user.is_authenticated:
        return JsonResponse({}, status=401)
    name = user.get_full_name()
    assert user.username == ${subject}
    return JsonResponse({"id": user.pk, "sub": ${subject}, "email": user.email, "name": name})


urlpatterns += [path("", lambda request: render(request, "home.html")), path("account", account)]
`;

/** A section, and the Python with the packages that its command installs. */
async function prepare({ heading }: Product) {
  const section = readSection(heading);
  const [, packages = ''] = /^pip install (.*)$/m.exec(section.blocks('sh').join('')) ?? [];
  const what = `the section ${heading} of docs/connect-applications.md`;
  const { bin = '', reason } = await findPython(what, packages.split(' '));
  if (reason !== undefined) process.stderr.write(`\n${reason}\n`);
  return { section, python: path.join(bin, 'python'), reason };
}

// All of them first: the runner ends with the suites that are known when one of them has ended.
const prepared = await Promise.all(
  products.map(async (product) => ({ ...product, ...(await prepare(product)) })),
);
for (const { heading, pkce, template, subject, begin, section, python, reason } of prepared)
  describe(heading, { skip: reason ?? false }, () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'bailiwick-django-'));
    const programs: Program[] = [];
    let stack: Stack;
    before(async () => {
      stack = await sharedStack('one process');
    });
    after(async () => {
      for (const program of programs) program.stop();
      rmSync(folder, { recursive: true, force: true });
      await stack?.stop();
    });

    /** Starts a project with the page's files, and the settings of `more` after them. */
    async function start(owner: Owner, more = ''): Promise<Application> {
      const address = `127.0.0.1:${await takePort()}`;
      const { here, secret } = await registerApp(stack, section, owner, `http://${address}`);
      const cwd = mkdtempSync(path.join(folder, 'project-'));
      await run(python, ['-m', 'django', 'startproject', 'mysite', '.'], { cwd });
      for (const [name, code] of section.files('python')) {
        // The page's files are the parts to add to those of a new project.
        if (!name.endsWith('oidc.py')) assert.ok(existsSync(path.join(cwd, name)), name);
        appendFileSync(path.join(cwd, name), `\n${here(code)}`);
      }
      mkdirSync(path.join(cwd, 'templates'));
      writeFileSync(path.join(cwd, 'templates/home.html'), template(section));
      appendFileSync(path.join(cwd, 'mysite/urls.py'), views(subject));
      appendFileSync(
        path.join(cwd, 'mysite/settings.py'),
        `\nTEMPLATES[0]["DIRS"] = [BASE_DIR / "templates"]\n${more}`,
      );
      const env = { OIDC_SECRET: secret };
      const manage = (...args: string[]) => ({
        command: python,
        args: ['manage.py', ...args],
        cwd,
      });
      const migrate = manage('migrate', '--verbosity=0');
      await run(migrate.command, migrate.args, { cwd, env: { ...process.env, ...env } });
      const serve = manage('runserver', '--noreload', address);
      const program = await startCommand(heading, serve, address, env);
      programs.push(program);
      return {
        url: program.url,
        begin,
        async account(visit) {
          const { status, text } = await visit('/account');
          assert.ok([200, 401].includes(status), text);
          return status === 200 ? (JSON.parse(text) as Account) : undefined;
        },
      };
    }

    test('a person signs in, and keeps the account when their address changes', async () => {
      const ada = await startOwner(stack);
      await assertFollowsSubject(stack, await start(ada), ada);
    });

    test('a callback signs no person in to another browser', async () => {
      const ada = await startOwner(stack);
      await assertRefusesOthers(stack, await start(ada), ada);
    });

    test(`without ${pkce} the callback gets invalid_request, and signs no person in`, async () => {
      const ada = await startOwner(stack);
      const application = await start(ada, `${pkce} = False\n`);
      const { callback, account } = await signInTo(stack, application, ada.token);
      assert.equal(callback.searchParams.get('error'), 'invalid_request', callback.href);
      assert.equal(account, undefined);
    });
  });
