import { Anchor, Skeleton } from '@mantine/core';
import { Link, useParams } from '@tanstack/react-router';
import { MessageContents } from '../deliveries/message-contents.tsx';
import { useCall } from '../parts/calls.ts';
import { FailureNotice } from '../parts/failure-notice.tsx';
import { Page } from '../parts/page.tsx';
import { SameByApi } from '../parts/same-by-api.tsx';
import { useTexts } from '../parts/texts.tsx';
import { useTenant } from '../shell/routes.tsx';
import { useArea } from './area.tsx';
import { ResendButton } from './resend-button.tsx';

/** One message: its body, and the receiver's answer to each attempt. */
export function MessagePage() {
  const { t } = useTexts();
  const { ID: Tenant } = useTenant();
  const { area, views, mayWrite } = useArea();
  const { endpoint = '', message = '' } = useParams({ strict: false });
  const request = { Tenant, ID: endpoint, MessageID: message };
  const { data, error, refetch } = useCall(`${area}_GetMessage`, request);
  const mayResend = mayWrite && data;
  return (
    <Page
      title={data?.Message.EventType ?? t('webhooks.message')}
      description={
        <Anchor component={Link} to={`${views}/${endpoint}`} size="sm">
          {t('webhooks.toEndpoint')}
        </Anchor>
      }
      actions={mayResend && <ResendButton {...data.Message} />}
    >
      <FailureNotice error={error} onRetry={() => void refetch()} />
      {data ? <MessageContents {...data.Message} /> : !error && <Skeleton height={240} />}
      <SameByApi operation={`${area}_GetMessage`} request={request} />
    </Page>
  );
}
