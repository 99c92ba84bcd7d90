import type { ItemOf } from '@bailiwick/client/client.ts';
import { useTexts } from '../parts/texts.tsx';
import { useTenant } from '../shell/routes.tsx';
import { EndpointDialog, type Fields, none } from './endpoint-dialog.tsx';

type Endpoint = ItemOf<'Chat_ListEndpoints'>;

const endpointOf = ({ name, eventTypes, description, kind }: Fields) => ({
  Name: name.trim(),
  EventTypes: eventTypes,
  Description: description,
  ...(kind !== null && { Kind: kind }),
});

/** Adds a chat channel. */
export function CreateChatDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTexts();
  const { ID } = useTenant();
  return (
    <EndpointDialog
      title={t('webhooks.chatCreate')}
      chat="new"
      operation="Chat_CreateEndpoint"
      initial={none}
      toRequest={(fields) => ({
        Endpoint: { Tenant: ID, ...endpointOf(fields) },
        URL: fields.url.trim(),
      })}
      notice={t('webhooks.saved')}
      onClose={onClose}
      submit={t('webhooks.chatCreate')}
    />
  );
}

/** Changes a chat channel. Its address stays unless another one is entered. */
export function EditChatDialog({ endpoint, onClose }: { endpoint: Endpoint; onClose: () => void }) {
  const { t } = useTexts();
  const { ID, Tenant, Name, EventTypes, Description, Kind } = endpoint;
  return (
    <EndpointDialog
      title={t('webhooks.edit')}
      chat="stored"
      operation="Chat_UpdateEndpoint"
      initial={{
        ...none,
        name: Name,
        eventTypes: [...EventTypes],
        description: Description,
        kind: Kind,
      }}
      toRequest={(fields) => ({
        Endpoint: { ID, Tenant, ...endpointOf(fields) },
        ...(fields.url.trim() !== '' && { URL: fields.url.trim() }),
      })}
      notice={t('webhooks.saved')}
      onClose={onClose}
      submit={t('form.save')}
    />
  );
}
