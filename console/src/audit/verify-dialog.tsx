import type { ResponseOf } from '@bailiwick/client/client.ts';
import { Alert, Button, Group, List, Stack, Text, Textarea } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../parts/calls.ts';
import { Copy } from '../parts/copy.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { FailureNotice } from '../parts/failure-notice.tsx';
import { Icon } from '../parts/icon.tsx';
import { SameByApi } from '../parts/same-by-api.tsx';
import type { TextKey } from '../parts/text-keys.ts';
import { useTexts } from '../parts/texts.tsx';
import { exactTime } from '../parts/times.ts';
import { useTenant } from '../shell/routes.tsx';

type Part = ResponseOf<'Audit_Verify'>;
type Verdict = Pick<Part, 'AnchorState' | 'AnchorSeq' | 'AnchoredAt'> & {
  checked: number;
  problems: Part['Problems'];
};

const shownProblems = 20;

/** Recomputes the chain of hashes, part by part, and says whether an entry was changed. */
export function VerifyDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTexts();
  const { ID } = useTenant();
  const [anchor, setAnchor] = useState('');
  const [checked, setChecked] = useState(0);
  const verify = useMutation({
    mutationFn: () => verifyAll(ID, anchor.trim(), setChecked),
    onMutate: () => setChecked(0),
  });
  const request = { Tenant: ID, ...(anchor.trim() !== '' && { Anchor: anchor.trim() }) };
  return (
    <Dialog onClose={onClose} size="lg" title={t('audit.verifyTitle')}>
      <Stack>
        <Text size="sm">{t('audit.verifyAbout')}</Text>
        <Textarea
          label={t('audit.anchor')}
          description={t('audit.anchorAbout')}
          value={anchor}
          onChange={(event) => setAnchor(event.currentTarget.value)}
          maxLength={1024}
          autosize
          minRows={1}
          maxRows={4}
          spellCheck={false}
        />
        <Group>
          <Button loading={verify.isPending} onClick={() => verify.mutate()}>
            {t('audit.verifyNow')}
          </Button>
          {verify.isPending && (
            <Text size="sm" c="dimmed" role="status">
              <Checked count={checked} />
            </Text>
          )}
        </Group>
        <FailureNotice error={verify.error} />
        {verify.data && <VerdictOf verdict={verify.data} />}
        <MakeAnchor />
        <SameByApi operation="Audit_Verify" request={request} />
      </Stack>
    </Dialog>
  );
}

async function verifyAll(
  Tenant: string,
  Anchor: string,
  onProgress: (checked: number) => void,
): Promise<Verdict> {
  const problems: Part['Problems'] = [];
  let checked = 0;
  let anchored: Pick<Part, 'AnchorState' | 'AnchorSeq' | 'AnchoredAt'> | undefined;
  for (let Cursor = ''; ; ) {
    const part = await client.call('Audit_Verify', {
      Tenant,
      Cursor,
      ...(Anchor !== '' && { Anchor }),
    });
    checked += part.Checked;
    onProgress(checked);
    problems.push(...part.Problems);
    // The anchor lies in one part. The others do not say anything about it.
    if (!anchored || part.AnchorState !== '') anchored = part;
    Cursor = part.NextCursor;
    if (Cursor === '') return { ...anchored, checked, problems };
  }
}

function Checked({ count }: { count: number }) {
  const { t, locale } = useTexts();
  return t('audit.checked', { count: new Intl.NumberFormat(locale).format(count) });
}

const anchorStates: Readonly<Record<string, TextKey>> = {
  unchanged: 'audit.anchorUnchanged',
  dropped: 'audit.anchorDropped',
};

function VerdictOf({ verdict }: { verdict: Verdict }) {
  const { t, locale } = useTexts();
  const { problems, checked, AnchorState, AnchoredAt } = verdict;
  if (problems.length > 0) return <Broken verdict={verdict} />;
  const state = anchorStates[AnchorState];
  return (
    <Alert
      role="status"
      color="teal"
      icon={<Icon name="check" />}
      title={t('audit.intact')}
      data-verdict="intact"
    >
      <Text size="sm">
        <Checked count={checked} />
      </Text>
      {state && (
        <Text size="sm" mt="xs">
          {t(state, { time: AnchoredAt ? exactTime(AnchoredAt, locale) : '–' })}
        </Text>
      )}
    </Alert>
  );
}

const problemKinds: Readonly<Record<string, TextKey>> = {
  changed: 'audit.problemChanged',
  missing: 'audit.problemMissing',
  reordered: 'audit.problemReordered',
};

function Broken({ verdict: { problems, checked } }: { verdict: Verdict }) {
  const { t } = useTexts();
  return (
    <Alert role="alert" color="red" icon={<Icon name="warning" />} title={t('audit.broken')}>
      <Text size="sm">{t('audit.brokenNext')}</Text>
      <List size="sm" mt="xs">
        {problems.slice(0, shownProblems).map(({ Seq, Kind, Message }, position) => {
          const kind = problemKinds[Kind];
          return (
            <List.Item key={`${Seq} ${position}`}>
              {t('audit.problem', { seq: String(Seq), kind: kind ? t(kind) : Kind })}{' '}
              <span lang="en">({Message})</span>
            </List.Item>
          );
        })}
      </List>
      {problems.length > shownProblems && (
        <Text size="sm" mt="xs">
          {t('audit.moreProblems', { count: String(problems.length - shownProblems) })}
        </Text>
      )}
      <Text size="sm" mt="xs">
        <Checked count={checked} />
      </Text>
    </Alert>
  );
}

function MakeAnchor() {
  const { t } = useTexts();
  const { ID } = useTenant();
  const make = useMutation({ mutationFn: () => client.call('Audit_Anchor', { Tenant: ID }) });
  return (
    <Stack gap="xs">
      <Group>
        <Button variant="default" loading={make.isPending} onClick={() => make.mutate()}>
          {t('audit.makeAnchor')}
        </Button>
      </Group>
      <FailureNotice error={make.error} />
      {make.data && (
        <>
          <Text size="sm" c="dimmed">
            {t('audit.anchorMade')}
          </Text>
          <Group gap="xs" wrap="nowrap" align="start">
            <pre className="console-code" tabIndex={0} aria-label={t('audit.anchor')}>
              {make.data.Anchor}
            </pre>
            <Copy text={make.data.Anchor} what={t('audit.anchor')} />
          </Group>
        </>
      )}
    </Stack>
  );
}
