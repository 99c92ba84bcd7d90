import type { RequestOf } from '@bailiwick/client/client.ts';
import { readRow } from '@bailiwick/client/import/mod.ts';
import { Button, Fieldset, Group, Paper, Stack } from '@mantine/core';
import { useMemo, useState } from 'react';
import { LeaveGuard } from '../../parts/leave-guard.tsx';
import { Page } from '../../parts/page.tsx';
import { SameByApi } from '../../parts/same-by-api.tsx';
import { useTexts } from '../../parts/texts.tsx';
import { ByCommandLine } from './by-command-line.tsx';
import { FileField } from './file-field.tsx';
import { type Membership, MembershipFields } from './membership-fields.tsx';
import { Preview } from './preview.tsx';
import type { UserFile } from './read-file.ts';
import { RunSection } from './run-section.tsx';
import { useImport } from './use-import.ts';

/** Imports the users of a file. */
export function ImportPage() {
  const { t } = useTexts();
  const [name, setName] = useState('');
  const [file, setFile] = useState<UserFile>();
  const [membership, setMembership] = useState<Membership>();
  const rows = useMemo(
    () => file?.records.map((record) => readRow(record, file.read, membership)) ?? [],
    [file, membership],
  );
  const work = useImport(rows);
  const { run, isBusy, isUnfinished } = work;
  // The verdicts belong to the file and the membership that they were asked for.
  const afterwards = (change: () => void) => {
    change();
    work.reset();
  };
  return (
    <Page title={t('import.title')} description={t('import.about')}>
      <Paper withBorder p="lg">
        <Fieldset variant="unstyled" disabled={isBusy || isUnfinished}>
          <Stack>
            <FileField onName={setName} onFile={(next) => afterwards(() => setFile(next))} />
            <MembershipFields
              value={membership}
              onChange={(next) => afterwards(() => setMembership(next))}
            />
          </Stack>
        </Fieldset>
      </Paper>
      {file && (
        <>
          <Preview file={file} rows={rows} />
          <Group>
            <Button
              variant={run ? 'default' : 'filled'}
              disabled={isBusy || isUnfinished}
              onClick={work.check}
            >
              {t('import.check')}
            </Button>
          </Group>
        </>
      )}
      {file && run && <RunSection file={file} run={run} work={work} />}
      <ByCommandLine name={name} membership={membership} />
      <SameByApi operation="Users_Import" request={exampleOf(membership)} />
      <LeaveGuard isActive={isUnfinished} title={t('import.leaveTitle')} action={t('import.leave')}>
        {t('import.leaveAbout')}
      </LeaveGuard>
    </Page>
  );
}

/** The call for one user. The users of the file, and their password hashes, are not shown. */
const exampleOf = (membership: Membership): RequestOf<'Users_Import'> => ({
  Users: [
    {
      Email: 'ada@example.com',
      EmailVerified: true,
      ExternalID: '17',
      Name: 'Ada Lovelace',
      ...(membership && { Tenants: [membership] }),
    },
  ],
  OnError: 'continue',
  DryRun: true,
});
