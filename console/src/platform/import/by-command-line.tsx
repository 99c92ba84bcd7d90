import { Stack, Text, Title } from '@mantine/core';
import { CodeBlock } from '../../parts/code-block.tsx';
import { publicUrl } from '../../parts/place.ts';
import { useTexts } from '../../parts/texts.tsx';
import type { Membership } from './membership-fields.tsx';
import { formatOf, maxRows } from './read-file.ts';

type Props = {
  /** The name of the chosen file; '' without one. */
  name: string;
  membership: Membership;
};

/** The way for larger files, and for exports of other systems. */
export function ByCommandLine({ name, membership }: Props) {
  const { t, locale } = useTexts();
  const count = new Intl.NumberFormat(locale).format(maxRows);
  return (
    <Stack gap="xs">
      <Title order={2} size="h4">
        {t('import.other')}
      </Title>
      <Text size="sm">{t('import.otherAbout', { count })}</Text>
      <CodeBlock code={commandOf(name || 'users.csv', membership)} name={t('import.command')} />
    </Stack>
  );
}

function commandOf(file: string, membership: Membership): string {
  const { Tenant, Roles = [], Groups = [] } = membership ?? { Tenant: '' };
  const options = [
    ['from', systemOf(file)],
    ...(Tenant === '' ? [] : [['tenant', Tenant]]),
    ...Roles.map((role) => ['role', role]),
    ...Groups.map((group) => ['group', group]),
    ['url', publicUrl],
  ];
  const text = options.map(([name, value = '']) => `--${name} ${quoted(value)}`).join(' ');
  // A name that begins with a hyphen would be an option.
  return [
    `bailiwick login --platform --url ${quoted(publicUrl)}`,
    `bailiwick import ${quoted(file.replace(/^-/, './-'))} ${text}`,
  ].join('\n');
}

/** One JSON document is an export of another system, such as Keycloak. */
const systemOf = (file: string): string =>
  formatOf(file) ?? (/\.json$/i.test(file) ? 'keycloak' : 'csv');

/** A word of a shell command. */
const quoted = (word: string): string =>
  /^[\w./:@-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
