import type { IssuerDevicePage } from '@bailiwick/proto/gen/bailiwick/sso/v1/internal_pb.ts';
import { escapeHtml, fill } from '@bailiwick/texts';
import { timestampMs } from '@bufbuild/protobuf/wkt';
import { scopesMarkup } from './choice-page.ts';
import { markupWithNames, textOf, titleWithNames } from './page-texts.ts';

// The pages of the device flow: a person enters the code that a device shows, confirms it, and goes
// back to the device. They need no script.

type Visitor = {
  locale: string;
  /** The way from the page to the public URL. */
  root: string;
  /** The person's own address. */
  ip: string;
  now: Date;
};

type Markup = { title: string; heading: string; about: string; choices: string };

/** The values of the page's placeholders. Names and codes are escaped. */
export function deviceMarkup(page: IssuerDevicePage, visitor: Visitor): Markup {
  const text = (key: string, values: Record<string, string> = {}) =>
    escapeHtml(fill(textOf(visitor.locale, key), values));
  switch (page.kind) {
    case 'confirm':
      return confirmMarkup(page, visitor, text);
    case 'allowed':
      return withTitle(text('device.allowed'), { about: text('device.goBack'), choices: '' });
    case 'denied':
      return withTitle(text('device.denied'), { about: text('device.deniedAbout'), choices: '' });
    default:
      return codeMarkup(page, visitor, text);
  }
}

const withTitle = (title: string, rest: Pick<Markup, 'about' | 'choices'>): Markup => ({
  title,
  heading: title,
  ...rest,
});

type Text = (key: string, values?: Record<string, string>) => string;

const formMarkup = ({ root }: Visitor, { xsrfToken }: IssuerDevicePage, fields: string): string =>
  `<form method="post" action="${root}device" novalidate><input type="hidden" name="xsrf" value="${escapeHtml(xsrfToken)}" />${fields}</form>`;

const problemTexts: Readonly<Record<string, string>> = {
  missing: 'device.missing',
  unknown: 'device.unknown',
  expired: 'device.expired',
  used: 'device.used',
};

function codeMarkup(page: IssuerDevicePage, visitor: Visitor, text: Text): Markup {
  const { problem, userCode } = page;
  const [message, failed] =
    problem === ''
      ? ['', '']
      : [
          `<p class="outcome failed" id="problem" role="alert">${text(problemTexts[problem] ?? 'device.again')}</p>`,
          ' aria-invalid="true" aria-describedby="problem"',
        ];
  const fields = [
    `<label for="code">${text('device.label')}</label>`,
    `<input id="code" name="user_code" type="text" value="${escapeHtml(userCode)}" autocomplete="off" autocapitalize="characters" spellcheck="false" maxlength="32" required autofocus${failed} />`,
    `<button type="submit">${text('common.continue')}</button>`,
  ].join('');
  // With the code in its address the page sends the form by itself, or the person does.
  const script =
    userCode === '' ? '' : `<script src="${visitor.root}pages/post.js" type="module"></script>`;
  return withTitle(text('device.title'), {
    about: text('device.about'),
    choices: `${message}${formMarkup(visitor, page, fields)}${script}`,
  });
}

function confirmMarkup(page: IssuerDevicePage, visitor: Visitor, text: Text): Markup {
  const { app, scopes, userCode, ip } = page;
  const isElsewhere = ip !== visitor.ip;
  const facts = text('device.from', { code: userCode, when: whenOf(page, visitor), address: ip });
  const fields = [
    `<input type="hidden" name="user_code" value="${escapeHtml(userCode)}" />`,
    `<p><button name="confirm" value="yes">${text('choice.allow')}</button></p>`,
    `<p><button name="abort" value="yes" class="plain">${text('choice.deny')}</button></p>`,
  ].join('');
  return {
    title: titleWithNames(visitor.locale, 'choice.consent', { app }),
    heading: markupWithNames(visitor.locale, 'choice.consent', { app }),
    about: markupWithNames(visitor.locale, 'device.confirmAbout', { app }),
    choices: [
      scopesMarkup(scopes, visitor.locale),
      `<p>${facts}${isElsewhere ? ` ${text('device.elsewhere', { address: visitor.ip })}` : ''}</p>`,
      `<p><strong>${text('device.warning')}</strong></p>`,
      formMarkup(visitor, page, fields),
    ].join(''),
  };
}

/** When the device asked, such as "2 minutes ago": the page does not know the person's time zone. */
function whenOf({ askedAt }: IssuerDevicePage, { locale, now }: Visitor): string {
  const minutes = askedAt ? Math.round((timestampMs(askedAt) - now.getTime()) / 60_000) : 0;
  return new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(
    Math.min(0, minutes),
    'minute',
  );
}
