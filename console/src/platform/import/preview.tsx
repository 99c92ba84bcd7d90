import type { Row as ImportRow, Json } from '@bailiwick/client/import/mod.ts';
import { Paper, Stack, Table, Text, Title } from '@mantine/core';
import { useTexts } from '../../parts/texts.tsx';
import type { UserFile } from './read-file.ts';

const mostRows = 5;

/** The number of rows in the file, and the first rows without their password hashes. */
export function Preview({ file, rows }: { file: UserFile; rows: readonly ImportRow[] }) {
  const { t, locale } = useTexts();
  const number = new Intl.NumberFormat(locale);
  const withHash = rows.filter((row) => Boolean(fieldsOf(row)['PasswordHash'])).length;
  return (
    <Stack gap="sm">
      <Title order={2} size="h4">
        {file.name}
      </Title>
      <Text role="status">
        {t('import.holds', {
          rows: number.format(rows.length),
          passwords: number.format(withHash),
        })}
      </Text>
      <Paper withBorder p={0} style={{ overflowX: 'auto' }}>
        <Table aria-label={t('import.firstRows')} verticalSpacing="sm">
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">{t('import.line')}</Table.Th>
              <Table.Th scope="col">{t('import.email')}</Table.Th>
              <Table.Th scope="col" visibleFrom="sm">
                {t('import.name')}
              </Table.Th>
              <Table.Th scope="col" visibleFrom="sm">
                {t('import.externalId')}
              </Table.Th>
              <Table.Th scope="col" visibleFrom="sm">
                {t('import.password')}
              </Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.slice(0, mostRows).map((row) => (
              <Row key={row.line} row={row} />
            ))}
          </Table.Tbody>
        </Table>
      </Paper>
    </Stack>
  );
}

function Row({ row }: { row: ImportRow }) {
  const { t } = useTexts();
  const user = fieldsOf(row);
  return (
    <Table.Tr>
      <Table.Td>{row.line}</Table.Td>
      <Table.Td style={{ overflowWrap: 'anywhere' }}>{textOf(user['Email'])}</Table.Td>
      <Table.Td visibleFrom="sm">{textOf(user['Name'])}</Table.Td>
      <Table.Td visibleFrom="sm">{textOf(user['ExternalID'])}</Table.Td>
      <Table.Td visibleFrom="sm">
        {'Email' in user ? t(user['PasswordHash'] ? 'import.hasHash' : 'import.noHash') : '–'}
      </Table.Td>
    </Table.Tr>
  );
}

/** The fields of a row. A text that is no record has no address, and may hold a hash anywhere. */
const fieldsOf = ({ user, text }: ImportRow): Json => (text === undefined ? { ...user } : {});

/** JSON Lines can have values of any type here. */
const textOf = (value: unknown): string =>
  typeof value === 'string' && value !== '' ? value : '–';
