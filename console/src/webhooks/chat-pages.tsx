import { ofChat } from './area.tsx';
import { EndpointPage } from './endpoint-page.tsx';
import { EndpointsPage } from './endpoints-page.tsx';
import { MessagePage } from './message-page.tsx';

export const ChatEndpointsPage = ofChat(EndpointsPage);
export const ChatEndpointPage = ofChat(EndpointPage);
export const ChatMessagePage = ofChat(MessagePage);
