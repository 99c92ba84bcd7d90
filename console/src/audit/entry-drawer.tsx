import { Button, Code, Drawer, Group, Stack, Table, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { actorTexts, type Entry, ResultBadge } from '../parts/audit-entry.tsx';
import { Sentence } from '../parts/audit-sentence.tsx';
import { Id } from '../parts/copy.tsx';
import { useTexts } from '../parts/texts.tsx';
import { exactTime } from '../parts/times.ts';
import { useScope } from './scope.ts';
import type { AuditFilters } from './search.ts';
import { useAuditSearch } from './use-search.ts';

type Props = { entry: Entry; onClose: () => void };

/** All of one entry, and the ways to entries like it. */
export function EntryDrawer({ entry, onClose }: Props) {
  const { t, locale } = useTexts();
  const { readable } = useScope();
  const { Seq, OccurredAt, Action, Operation, Result, Code: code, ActorID } = entry;
  const kind = actorTexts[entry.ActorType];
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size="lg"
      title={t('audit.entry', { seq: String(Seq) })}
      closeButtonProps={{ 'aria-label': t('form.close') }}
    >
      <Stack gap="lg">
        <Text fw={600}>
          <Sentence entry={entry} may={readable} />
        </Text>
        <Stack gap="sm">
          <Field name={t('audit.action')} like={{ action: Action }}>
            <Code>{Action}</Code>
          </Field>
          <Field name={t('audit.when')}>{OccurredAt ? exactTime(OccurredAt, locale) : '–'}</Field>
          <Field name={t('audit.result')}>
            <Group gap="xs">
              <ResultBadge of={Result} />
              {code !== '' && <Code>{code}</Code>}
            </Group>
          </Field>
          <Field name={t('audit.actor')} {...(ActorID !== '' && { like: { actor: ActorID } })}>
            <Text size="sm">{kind ? t(kind) : entry.ActorType}</Text>
            {ActorID !== '' && <Id id={ActorID} />}
          </Field>
          <Field name={t('audit.operation')} like={{ operation: Operation }}>
            <Code>{Operation || '–'}</Code>
          </Field>
          <Texts entry={entry} />
        </Stack>
        <Targets targets={entry.Targets} />
        <Changes changes={entry.Changes} />
        <Stack gap="sm">
          <Title order={3} size="h5">
            {t('audit.chain')}
          </Title>
          <Text size="sm" c="dimmed">
            {t('audit.chainAbout')}
          </Text>
          <Field name={t('audit.hash')}>
            <Long text={entry.Hash} />
          </Field>
          <Field name={t('audit.prevHash')}>
            <Long text={entry.PrevHash || '–'} />
          </Field>
        </Stack>
      </Stack>
    </Drawer>
  );
}

/** The texts that not every entry has. */
function Texts({ entry }: { entry: Entry }) {
  const { t } = useTexts();
  const { ID, Permission, GrantID, CredentialID, IP, UserAgent, RequestID, TraceID } = entry;
  const texts = [
    { name: t('audit.id'), text: ID },
    { name: t('audit.permission'), text: Permission },
    { name: t('audit.grant'), text: GrantID },
    { name: t('audit.credential'), text: CredentialID },
    { name: t('audit.ip'), text: IP },
    { name: t('audit.userAgent'), text: UserAgent },
    { name: t('audit.request'), text: RequestID },
    { name: t('audit.trace'), text: TraceID },
  ];
  return texts
    .filter(({ text }) => text !== '')
    .map(({ name, text }) => (
      <Field key={name} name={name} {...(text === IP && { like: { ip: IP } })}>
        <Long text={text} />
      </Field>
    ));
}

const Long = ({ text }: { text: string }) => (
  <Code style={{ overflowWrap: 'anywhere' }}>{text}</Code>
);

type FieldProps = { name: string; like?: AuditFilters; children: ReactNode };

function Field({ name, like, children }: FieldProps) {
  const { t } = useTexts();
  const { addFilter } = useAuditSearch();
  return (
    <div>
      <Group justify="space-between" gap="xs" mih={24}>
        <Text size="xs" c="dimmed" fw={600}>
          {name}
        </Text>
        {like && (
          <Button
            size="compact-xs"
            variant="subtle"
            aria-label={t('audit.onlyThis', { field: name })}
            onClick={() => addFilter(like)}
          >
            {t('audit.only')}
          </Button>
        )}
      </Group>
      {children}
    </div>
  );
}

function Targets({ targets }: { targets: Entry['Targets'] }) {
  const { t } = useTexts();
  if (targets.length === 0) return undefined;
  return (
    <Stack gap="sm">
      <Title order={3} size="h5">
        {t('audit.targets')}
      </Title>
      {targets.map(({ Type, ID, Name }) => (
        <Field key={`${Type} ${ID}`} name={Type} {...(ID !== '' && { like: { target: ID } })}>
          {Name !== '' && (
            <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
              {Name}
            </Text>
          )}
          {ID !== '' && <Id id={ID} />}
        </Field>
      ))}
    </Stack>
  );
}

function Changes({ changes }: { changes: Entry['Changes'] }) {
  const { t } = useTexts();
  if (changes.length === 0) return undefined;
  return (
    <Stack gap="sm">
      <Title order={3} size="h5">
        {t('audit.changes')}
      </Title>
      <Table.ScrollContainer minWidth={280}>
        <Table aria-label={t('audit.changes')}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">{t('audit.field')}</Table.Th>
              <Table.Th scope="col">{t('audit.old')}</Table.Th>
              <Table.Th scope="col">{t('audit.new')}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {changes.map(({ Field: field, Old, New }) => (
              <Table.Tr key={field}>
                <Table.Th scope="row" fw={600}>
                  {field}
                </Table.Th>
                <Table.Td style={{ overflowWrap: 'anywhere' }}>{Old || '–'}</Table.Td>
                <Table.Td style={{ overflowWrap: 'anywhere' }}>{New || '–'}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Stack>
  );
}
