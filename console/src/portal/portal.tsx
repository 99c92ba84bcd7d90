import { Anchor, Box, Button, Stack, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { type ReactNode, useEffect, useState } from 'react';
import { ServiceBrand, serviceName } from '../parts/brand.tsx';
import { useChange } from '../parts/calls.ts';
import { FailureNotice } from '../parts/failure-notice.tsx';
import { pageAt, publicUrl } from '../parts/place.ts';
import { useSessionEnded } from '../parts/session-state.ts';
import { useTexts } from '../parts/texts.tsx';
import { EndpointView } from './endpoint-view.tsx';
import { beginSession, continueSession, forgetSession, linkToken } from './session.ts';

/** The page of a portal link: the endpoint, or the way to it. */
export function Portal() {
  const { t } = useTexts();
  const [isOpen, setOpen] = useState(continueSession);
  const [link, setLink] = useState(linkToken);
  const hasEnded = useSessionEnded();
  useDocumentTitle(`${t('portal.title')} · ${serviceName}`);
  // A link that is pasted into the tab of an open session.
  useEffect(() => {
    const follow = () => {
      setOpen(continueSession());
      setLink(linkToken());
    };
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  useEffect(() => {
    if (hasEnded) forgetSession();
  }, [hasEnded]);
  if (link === '' && hasEnded) return <Notice of="ended" />;
  if (isOpen) return <EndpointView />;
  if (link === '')
    return (
      <Notice of="noLink">
        <WithoutLink />
      </Notice>
    );
  const opened = () => {
    setOpen(true);
    setLink('');
  };
  return <Opening key={link} link={link} onOpened={opened} />;
}

/** Programs that scan mails load the page, so only the button opens the link. */
function Opening({ link, onOpened }: { link: string; onOpened: () => void }) {
  const { t } = useTexts();
  const change = useChange('Portal_Open');
  const onSuccess = ({ Token }: { Token: string }) => {
    beginSession(Token);
    onOpened();
  };
  const isDead = change.error?.Code === 'failed_precondition';
  if (isDead) return <Notice of="dead" />;
  return (
    <Notice of="link">
      <FailureNotice error={change.error} />
      <Button
        loading={change.isPending}
        onClick={() => change.mutate({ Token: link }, { onSuccess })}
      >
        {t('portal.open')}
      </Button>
    </Notice>
  );
}

/** Who sends a link, and what its receiver can do without it. */
function WithoutLink() {
  const { t } = useTexts();
  const parts = [
    [t('portal.noLinkWho'), t('portal.noLinkWhoAbout', { address: `${publicUrl}/portal#` })],
    [t('portal.noLinkDo'), t('portal.noLinkDoAbout')],
  ] as const;
  return (
    <>
      {parts.map(([title, text]) => (
        <div key={title}>
          <Title order={2} size="h5">
            {title}
          </Title>
          <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
            {text}
          </Text>
        </div>
      ))}
      <Text size="sm" c="dimmed">
        {t('portal.noLinkSender')}{' '}
        <Anchor href={pageAt('console')} size="sm" underline="always">
          {t('portal.noLinkConsole')}
        </Anchor>
      </Text>
    </>
  );
}

const notices = {
  link: { title: 'portal.title', description: 'portal.openAbout' },
  ended: { title: 'portal.ended', description: 'portal.endedAbout' },
  dead: { title: 'portal.dead', description: 'portal.deadAbout' },
  noLink: { title: 'portal.noLink', description: 'portal.noLinkAbout' },
} as const;

function Notice({ of, children }: { of: keyof typeof notices; children?: ReactNode }) {
  const { title, description } = notices[of];
  const { t } = useTexts();
  return (
    <Box component="main" px="md" py="xl" maw={560} mx="auto">
      <Stack align="start" mt="xl">
        <div className="console-brand">
          <ServiceBrand />
        </div>
        <Title order={1} size="h2">
          {t(title)}
        </Title>
        <Text>{t(description)}</Text>
        {children}
      </Stack>
    </Box>
  );
}
