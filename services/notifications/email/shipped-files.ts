import { readFileSync } from 'node:fs';
import { escapeHtml, readMailTexts, shippedLocales } from '@bailiwick/texts';
import { layoutFile, partFiles, type TemplateFiles } from './template-files.ts';

/** The built-in mails as the files that an operator can replace, and the layout. */
export function readShippedFiles(): TemplateFiles {
  const layout = readFileSync(new URL(layoutFile, import.meta.url), 'utf8');
  return new Map([[layoutFile, layout], ...shippedLocales.flatMap(filesOf)]);
}

function filesOf(locale: string): [file: string, text: string][] {
  const { words, mails } = readMailTexts(locale);
  return [
    ...Object.entries(words).map(([word, text]): [string, string] => [
      `${locale}.${word}.txt`,
      text,
    ]),
    ...Object.entries(mails).flatMap(([mail, { subject, body }]): [string, string][] => [
      [`${locale}.${mail}.${partFiles.subject}`, subject],
      [`${locale}.${mail}.${partFiles.text}`, textOf(body)],
      [`${locale}.${mail}.${partFiles.html}`, htmlOf(body)],
    ]),
  ];
}

const button = /^\[(.+)\]\(\{\{link\}\}\)$/;
const copied = /\n\{\{token\}\}$/;

/** Links and tokens are on lines of their own, so that they can be selected. */
const textOf = (body: readonly string[]): string =>
  `${body
    .map((paragraph) => paragraph.replace(button, '$1\n{{link}}').replace(copied, '\n\n{{token}}'))
    .join('\n\n')}\n`;

const htmlOf = (body: readonly string[]): string =>
  body
    .map(escapeHtml)
    .map((paragraph) =>
      paragraph
        .replace(button, '<a class="button" href="{{link}}">$1</a>')
        .replace(copied, '<br><code>{{token}}</code>'),
    )
    .map((paragraph) => `<p>${paragraph}</p>`)
    .join('\n');
