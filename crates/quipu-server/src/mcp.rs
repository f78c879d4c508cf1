//! The Model Context Protocol in front of a backend.

mod ask;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use quipu_core::printable::{json_escaped, printable, printable_line};
use rmcp::ErrorData;
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CompleteRequestParams, CompleteResult,
    CompletionInfo, ContentBlock, EmbeddedResource, GetPromptRequestParams, GetPromptResponse,
    GetPromptResult, Implementation, JsonObject, ListPromptsResult, ListResourceTemplatesResult,
    ListResourcesResult, ListToolsResult, PaginatedRequestParams, ProgressNotificationParam,
    ProgressToken, PromptMessage, ReadResourceRequestParams, ReadResourceResponse,
    ReadResourceResult, ResourceContents, Role, ServerCapabilities, ServerConfig, ToolAnnotations,
};
use rmcp::service::{Peer, RequestContext, RoleServer};
use tokio::sync::{Semaphore, mpsc};

use crate::backend::{
    Answer, AnswerForm, Backend, Caller, Channel, Document, Effect, Listener, NotFound, Prompt,
    Resource, Scope, Tool,
};

/// The text of an answer whose data was asked for.
const SEE_DATA: &str = "The answer is in structuredContent.";

/// A call that takes longer than this lets the next one begin beside it.
const IN_TURN: Duration = Duration::from_secs(2);

/// Speaks the protocol with one client, or with all that come through one door.
pub(crate) struct Mcp<B> {
    backend: Arc<B>,
    /// Who calls, unless the door knows better.
    caller: Caller,
    /// Calls of one client run in the order in which they came.
    turn: Option<Arc<Semaphore>>,
    /// Whether the client was asked where it works.
    is_placed: Arc<AtomicBool>,
}

impl<B> Clone for Mcp<B> {
    fn clone(&self) -> Self {
        Self {
            backend: self.backend.clone(),
            caller: self.caller.clone(),
            turn: self.turn.clone(),
            is_placed: self.is_placed.clone(),
        }
    }
}

impl<B: Backend> Mcp<B> {
    /// Speaks with one client: what it asks later is done later.
    pub(crate) fn in_turn(backend: Arc<B>, caller: Caller) -> Self {
        let (turn, is_placed) = (Some(Arc::new(Semaphore::new(1))), Arc::default());
        Self { backend, caller, turn, is_placed }
    }

    /// Speaks with many: who calls is known at the door, and nobody waits for another.
    pub(crate) fn at_once(backend: Arc<B>) -> Self {
        // The door says who calls; whoever came around it may do nothing.
        let (scope, channel) = (Scope::Read, Channel::Other);
        let caller =
            Caller { scope, channel, agent: None, is_local: false, is_person: false, space: None };
        Self { backend, caller, turn: None, is_placed: Arc::new(AtomicBool::new(true)) }
    }

    /// Returns who made a request.
    fn caller(&self, context: &RequestContext<RoleServer>) -> Caller {
        let parts = context.extensions.get::<axum::http::request::Parts>();
        let known = parts.and_then(|parts| parts.extensions.get::<Caller>());
        let mut caller = known.unwrap_or(&self.caller).clone();
        if caller.agent.is_none() {
            // Without a greeting the library gives its own name.
            let client = context.client_info().filter(|client| client.name != "rmcp");
            caller.agent = client.map(|client| client.title.unwrap_or(client.name));
        }
        caller
    }

    /// Runs blocking work away from the async threads.
    async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&B) -> T + Send + 'static,
    ) -> Result<T, ErrorData> {
        let backend = self.backend.clone();
        let permit = match self.turn.clone() {
            // Nobody closes the semaphore.
            Some(turn) => turn.acquire_owned().await.ok(),
            None => None,
        };
        let working = tokio::task::spawn_blocking(move || work(&backend));
        tokio::pin!(working);
        tokio::select! {
            done = &mut working => return done.map_err(|_| broken()),
            () = tokio::time::sleep(IN_TURN), if permit.is_some() => drop(permit),
        }
        working.await.map_err(|_| broken())
    }

    /// Asks a client where it works, once, where that would help: some start every server in the home folder.
    #[expect(deprecated, reason = "roots are on their way out, and clients still offer them")]
    async fn find_place(&self, context: &RequestContext<RoleServer>) {
        let offers = context.client_capabilities().is_some_and(|able| able.roots.is_some());
        if !offers || self.is_placed.swap(true, Ordering::Relaxed) || !self.backend.is_lost() {
            return;
        }
        // A client that does not answer leaves us where we are.
        let asked = tokio::time::timeout(IN_TURN, context.peer.list_roots()).await;
        if let Ok(Ok(listed)) = asked {
            let roots: Vec<String> = listed.roots.into_iter().map(|root| root.uri).collect();
            self.backend.found(&roots);
        }
    }

    /// Calls a tool, telling the client how far it has come.
    async fn call(
        &self,
        tool: String,
        arguments: JsonObject,
        context: &RequestContext<RoleServer>,
    ) -> Result<Answer, ErrorData> {
        self.call_as(self.caller(context), tool, arguments, context).await
    }

    /// Calls a tool in somebody's name.
    async fn call_as(
        &self,
        caller: Caller,
        tool: String,
        arguments: JsonObject,
        context: &RequestContext<RoleServer>,
    ) -> Result<Answer, ErrorData> {
        self.find_place(context).await;
        let (sender, mut steps) = mpsc::unbounded_channel();
        let token = context.meta.get_progress_token();
        let telling = token.map(|token| {
            let peer = context.peer.clone();
            tokio::spawn(async move {
                while let Some((step, done, total)) = steps.recv().await {
                    tell(&peer, &token, step, done, total).await;
                }
            })
        });
        let stopped = Arc::new(AtomicBool::new(false));
        let watching = tokio::spawn({
            let (stopped, cancelled) = (stopped.clone(), context.ct.clone());
            async move {
                cancelled.cancelled().await;
                stopped.store(true, Ordering::Relaxed);
            }
        });
        let answered = self
            .run(move |backend| {
                let steps: Arc<dyn Listener> = Arc::new(Steps { sender, stopped });
                backend.call(&tool, arguments, &caller, &steps)
            })
            .await;
        watching.abort();
        if let Some(telling) = telling {
            // The last word is said before the answer.
            let _ = telling.await;
        }
        answered?.map_err(unknown)
    }
}

/// Steps of a call on their way to the client.
struct Steps {
    sender: mpsc::UnboundedSender<(String, usize, usize)>,
    stopped: Arc<AtomicBool>,
}

impl Listener for Steps {
    fn heard(&self, step: &str, done: usize, total: usize) -> bool {
        // Nobody listens where no progress was asked for.
        let _ = self.sender.send((step.to_owned(), done, total));
        !self.stopped.load(Ordering::Relaxed)
    }
}

#[expect(clippy::cast_precision_loss, reason = "nobody counts so far")]
async fn tell(
    peer: &Peer<RoleServer>,
    token: &ProgressToken,
    step: String,
    done: usize,
    total: usize,
) {
    let progress = ProgressNotificationParam::new(token.clone(), done as f64)
        .with_total(total as f64)
        .with_message(step);
    // A client that is gone hears nothing.
    let _ = peer.notify_progress(progress).await;
}

impl<B: Backend> ServerHandler for Mcp<B> {
    fn get_info(&self) -> ServerConfig {
        let mut capabilities = ServerCapabilities::default();
        capabilities.tools = Some(rmcp::model::ToolsCapability::default());
        capabilities.resources = Some(rmcp::model::ResourcesCapability::default());
        capabilities.prompts = Some(rmcp::model::PromptsCapability::default());
        capabilities.completions = Some(JsonObject::default());
        let name = Implementation::new("quipu", env!("CARGO_PKG_VERSION"))
            .with_title("Quipu")
            .with_description("Long-term memory for AI agents");
        ServerConfig::new(capabilities)
            .with_server_info(name)
            .with_instructions(self.backend.instructions())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let caller = self.caller(&context);
        let tools = self.run(move |backend| backend.tools(&caller)).await?;
        Ok(ListToolsResult::with_all_items(tools.into_iter().map(tool).collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if ask::is_asked(&request) {
            return ask::ask(self, request, &context).await;
        }
        let arguments = request.arguments.unwrap_or_default();
        let answer = self.call(request.name.into_owned(), arguments, &context).await?;
        Ok(result(answer).into())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let caller = self.caller(&context);
        let (resources, _) = self.run(move |backend| backend.resources(&caller)).await?;
        Ok(ListResourcesResult::with_all_items(resources.into_iter().map(resource).collect()))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let caller = self.caller(&context);
        let (_, templates) = self.run(move |backend| backend.resources(&caller)).await?;
        let templates = templates.into_iter().map(|template| {
            rmcp::model::ResourceTemplate::new(template.uri, template.name)
                .with_description(template.description)
                .with_mime_type(template.mime_type)
        });
        Ok(ListResourceTemplatesResult::with_all_items(templates.collect()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let caller = self.caller(&context);
        let uri = request.uri.clone();
        let read = self.run(move |backend| backend.read(&uri, &caller)).await?;
        let read = read.map_err(|NotFound(why)| {
            ErrorData::resource_not_found(printable(&why).into_owned(), None)
        })?;
        Ok(ReadResourceResult::new(vec![contents(request.uri, &read)]).into())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let prompts = self.backend.prompts().into_iter().map(prompt);
        Ok(ListPromptsResult::with_all_items(prompts.collect()))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let caller = self.caller(&context);
        let arguments = request.arguments.unwrap_or_default();
        let got = self.run(move |backend| backend.prompt(&request.name, &arguments, &caller));
        let (text, beside) = got.await?.map_err(unknown)?;
        let mut messages = vec![PromptMessage::new_text(Role::User, text)];
        if let Some((uri, document)) = beside {
            let resource = EmbeddedResource::new(contents(uri, &document));
            messages.push(PromptMessage::new(Role::User, ContentBlock::Resource(resource)));
        }
        Ok(GetPromptResult::new(messages).into())
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let caller = self.caller(&context);
        let argument = request.argument;
        let mut values = self
            .run(move |backend| backend.complete(&argument.name, &argument.value, &caller))
            .await?;
        // A name that cannot be shown as it is would be another name.
        values.retain(|value| printable_line(value) == *value);
        let total = u32::try_from(values.len()).unwrap_or(u32::MAX);
        values.truncate(CompletionInfo::MAX_VALUES);
        let has_more = total as usize > values.len();
        let completion = CompletionInfo::with_pagination(values, Some(total), has_more)
            .map_err(|why| ErrorData::internal_error(why, None))?;
        Ok(CompleteResult::new(completion))
    }
}

/// An answer as the protocol has it.
fn result(answer: Answer) -> CallToolResult {
    // A model or a terminal reads the text, so nothing in it is hidden; the data keeps every character.
    let (text, data) = match answer.form {
        AnswerForm::Words(text) => (printable(&text).into_owned(), None),
        AnswerForm::JsonText => (json_escaped(&answer.data.to_string()).into_owned(), None),
        AnswerForm::Data => (SEE_DATA.to_owned(), Some(answer.data)),
    };
    let content = vec![ContentBlock::text(text)];
    if answer.is_error {
        return CallToolResult::error(content);
    }
    let mut result = CallToolResult::success(content);
    result.structured_content = data;
    result
}

fn tool(tool: Tool) -> rmcp::model::Tool {
    // The protocol takes what is not said for a tool that writes and destroys.
    let annotations = match tool.effect {
        Effect::Reads => ToolAnnotations::new().read_only(true),
        Effect::Writes => ToolAnnotations::new().destructive(false),
        Effect::Removes => ToolAnnotations::new().destructive(true),
    };
    rmcp::model::Tool::new(tool.name, tool.description, Arc::new(tool.input))
        .with_annotations(annotations)
}

fn resource(resource: Resource) -> rmcp::model::Resource {
    rmcp::model::Resource::new(resource.uri, printable_line(&resource.name))
        .with_description(printable_line(&resource.description))
        .with_mime_type(resource.mime_type)
}

fn contents(uri: String, document: &Document) -> ResourceContents {
    let text = match document.mime_type {
        "application/json" => json_escaped(&document.text),
        _ => printable(&document.text),
    };
    ResourceContents::text(text.into_owned(), uri).with_mime_type(document.mime_type)
}

fn prompt(prompt: Prompt) -> rmcp::model::Prompt {
    let arguments = prompt.arguments.into_iter().map(|argument| {
        rmcp::model::PromptArgument::new(argument.name).with_description(argument.description)
    });
    rmcp::model::Prompt::new(prompt.name, Some(prompt.description), Some(arguments.collect()))
}

fn unknown(NotFound(why): NotFound) -> ErrorData {
    ErrorData::invalid_params(printable(&why).into_owned(), None)
}

fn broken() -> ErrorData {
    ErrorData::internal_error("internal error (this is a bug in Quipu); nothing was changed", None)
}
