import {
  Alert,
  Button,
  Group,
  List,
  Paper,
  Progress as ProgressBar,
  Stack,
  Table,
  Text,
  Title,
  VisuallyHidden,
} from '@mantine/core';
import { useEffect, useRef } from 'react';
import { FailureNotice } from '../../parts/failure-notice.tsx';
import { Icon } from '../../parts/icon.tsx';
import { saveFile } from '../../parts/save-file.ts';
import { useTexts } from '../../parts/texts.tsx';
import type { UserFile } from './read-file.ts';
import { type FailedRow, failedFile, passwordlessFile } from './run.ts';
import type { Import, Run } from './use-import.ts';

type Props = { file: UserFile; run: Run; work: Import };

/** The progress and the verdicts of a check or of an import. */
export function RunSection({ file, run, work }: Props) {
  const { t } = useTexts();
  const { dryRun, progress, total } = run;
  const isDone = progress.verdictCount === total;
  const heading = useRef<HTMLHeadingElement>(null);
  // The button that began it is disabled now. The keyboard goes on from here.
  useEffect(() => {
    if (work.isBusy) heading.current?.focus();
  }, [work.isBusy]);
  return (
    <Stack component="section" aria-labelledby="import-run" gap="sm">
      <Title order={2} size="h4" id="import-run" ref={heading} tabIndex={-1}>
        {t(dryRun ? 'import.checkTitle' : 'import.importTitle')}
      </Title>
      {!isDone && <ProgressOf run={run} />}
      <FailureNotice error={work.error} />
      {!work.isBusy && (progress.verdictCount > 0 || !work.error) && <Counts run={run} />}
      <Actions run={run} work={work} />
      {progress.failed.length > 0 && <Failed failed={progress.failed} />}
      {progress.failed.length > 0 && !work.isBusy && (
        <Download
          title={t('import.download')}
          description={t('import.downloadAbout')}
          onClick={() => saveFile(failedFile(progress.failed), `${file.name}.failed.jsonl`)}
        />
      )}
      {progress.withoutPassword.length > 0 && !dryRun && !work.isBusy && (
        <Download
          title={t('import.downloadPasswordless')}
          description={t('import.passwordlessAbout')}
          onClick={() =>
            saveFile(passwordlessFile(progress.withoutPassword), `${file.name}.no-password.jsonl`)
          }
        />
      )}
    </Stack>
  );
}

type DownloadProps = { title: string; description: string; onClick: () => void };

function Download({ title, description, onClick }: DownloadProps) {
  return (
    <Stack gap={4} align="start">
      <Button variant="default" leftSection={<Icon name="download" />} onClick={onClick}>
        {title}
      </Button>
      <Text size="sm" c="dimmed">
        {description}
      </Text>
    </Stack>
  );
}

function ProgressOf({ run: { progress, total } }: { run: Run }) {
  const { t, locale } = useTexts();
  const number = new Intl.NumberFormat(locale);
  const percent = Math.floor((progress.verdictCount / total) * 100);
  return (
    <Stack gap={4}>
      <ProgressBar value={percent} aria-label={t('import.progress')} />
      <Text size="sm">
        {t('import.rowsDone', {
          done: number.format(progress.verdictCount),
          total: number.format(total),
        })}
      </Text>
      {/* A screen reader says every tenth part. More would talk over everything else. */}
      <VisuallyHidden role="status">
        {t('import.percent', { percent: String(Math.floor(percent / 10) * 10) })}
      </VisuallyHidden>
    </Stack>
  );
}

const lackTexts = [
  ['noPassword', 'import.noPassword'],
  ['notVerified', 'import.notVerified'],
] as const;

/** The number of rows with each verdict. */
function Counts({ run: { dryRun, progress, total } }: { run: Run }) {
  const { t, locale } = useTexts();
  const number = new Intl.NumberFormat(locale);
  const { verdictCount, created, withoutPassword, existing, failed } = progress;
  const color = failed.length > 0 || verdictCount < total ? 'orange' : 'teal';
  const title =
    verdictCount < total
      ? 'import.stopped'
      : dryRun
        ? 'import.checked'
        : ('import.imported' as const);
  return (
    <Alert
      role="status"
      color={color}
      icon={<Icon name={color === 'teal' ? 'check' : 'warning'} />}
      title={t(title)}
    >
      <List size="sm">
        <List.Item>
          {t(dryRun ? 'import.wouldCreate' : 'import.created', { count: number.format(created) })}
        </List.Item>
        {lackTexts.map(([lack, text]) => {
          const count = withoutPassword.filter((row) => row.lack === lack).length;
          return (
            count > 0 && (
              <List.Item key={lack}>{t(text, { count: number.format(count) })}</List.Item>
            )
          );
        })}
        <List.Item>{t('import.existing', { count: number.format(existing) })}</List.Item>
        <List.Item>
          {t(dryRun ? 'import.wouldFail' : 'import.failed', {
            count: number.format(failed.length),
          })}
        </List.Item>
        {verdictCount < total && (
          <List.Item>{t('import.left', { count: number.format(total - verdictCount) })}</List.Item>
        )}
      </List>
    </Alert>
  );
}

function Actions({ run: { dryRun, progress, total }, work }: { run: Run; work: Import }) {
  const { t } = useTexts();
  const { isBusy, isStopping, isUnfinished, stop, goOn, end, begin } = work;
  const isDone = progress.verdictCount === total;
  const mayBegin = dryRun && isDone && progress.created + progress.existing > 0;
  if (isBusy)
    return (
      <Group>
        <Button variant="default" disabled={isStopping} onClick={stop}>
          {t(isStopping ? 'import.stopping' : 'import.stop')}
        </Button>
      </Group>
    );
  if (!isDone)
    return (
      <Group>
        <Button onClick={goOn}>{t('import.goOn')}</Button>
        {isUnfinished && (
          <Button variant="default" onClick={end}>
            {t('import.end')}
          </Button>
        )}
        <Text size="sm" c="dimmed">
          {t('import.goOnAbout')}
        </Text>
      </Group>
    );
  if (!mayBegin) return undefined;
  return (
    <Group>
      <Button onClick={begin}>{t('import.begin')}</Button>
    </Group>
  );
}

/** The most rows on the page. The file has all of them. */
const mostRows = 100;

function Failed({ failed }: { failed: readonly FailedRow[] }) {
  const { t, locale } = useTexts();
  return (
    <Stack gap="xs">
      <Paper withBorder p={0} style={{ overflowX: 'auto' }}>
        <Table aria-label={t('import.failedRows')} verticalSpacing="sm">
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">{t('import.line')}</Table.Th>
              <Table.Th scope="col">{t('import.email')}</Table.Th>
              <Table.Th scope="col">{t('import.reason')}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {failed.slice(0, mostRows).map(({ line, user, Messages }) => (
              <Table.Tr key={line}>
                <Table.Td>{line}</Table.Td>
                <Table.Td style={{ overflowWrap: 'anywhere' }}>{emailOf(user)}</Table.Td>
                <Table.Td lang="en" style={{ overflowWrap: 'anywhere' }}>
                  {Messages.join('; ')}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Paper>
      {failed.length > mostRows && (
        <Text size="sm" c="dimmed">
          {t('import.moreFailed', {
            count: new Intl.NumberFormat(locale).format(failed.length - mostRows),
          })}
        </Text>
      )}
    </Stack>
  );
}

const emailOf = (user: object): string =>
  'Email' in user && typeof user.Email === 'string' && user.Email !== '' ? user.Email : '–';
