//! `sayso models`: lists the models of each provider with context and price, and providers without an answer in one
//! line each.

use super::Console;
use crate::cli::{ModelArgs, ModelsArgs};
use crate::domain::sentences::sending;
use crate::domain::visible::visible_line;
use crate::domain::{ModelInfo, Price};
use crate::driver::catalogue::{self, CatalogueAnswer, KeyState, Offer};
use crate::headless::json;
use crate::report::{self, Failure, FailureClass};
use serde_json::{Value, json};
use std::io;

pub(super) async fn run(
    args: ModelsArgs,
    outer: &ModelArgs,
    console: &mut Console<'_>,
) -> Result<(), Failure> {
    // An address given here belongs to the named provider.
    let named = args.provider.clone().filter(|_| args.base_url.is_some());
    let given = ModelArgs { model: named, base_url: args.base_url.clone(), ..ModelArgs::default() };
    let factory = super::factory(&given.or(outer), console)?;
    let only = args.provider.as_deref();
    if let Some(name) = only {
        factory
            .loaded
            .config
            .provider_named(name)
            .map_err(|e| Failure::new(FailureClass::Provider, e.to_string()).hint(e.hint()))?;
    }
    let sources = factory.sources(only);
    let offers = catalogue::ask_all(sources).await;
    report::print_notices(&factory.keys.take_notices(), console.err)?;
    if args.json {
        let providers: Vec<Value> = offers.iter().map(offer_json).collect();
        json::write_line(console.out, &json!({ "providers": providers }))?;
    } else {
        write(&offers, console)?;
    }
    outcome(&offers, only)
}

/// At least one provider has to answer; if one was named, that one.
fn outcome(offers: &[Offer], only: Option<&str>) -> Result<(), Failure> {
    let answered = |offer: &Offer| {
        matches!(offer.answer, CatalogueAnswer::Models(_)) && (only.is_some() || offer.address.is_some())
    };
    if offers.iter().any(answered) {
        return Ok(());
    }
    Err(match (only, offers.first().map(|offer| (&offer.answer, &offer.key))) {
        (Some(name), Some((CatalogueAnswer::NoKey, KeyState::Missing(place)))) => {
            Failure::new(FailureClass::Provider, format!("{name} has no key")).hint(format!(
                "Set {place}, or put the key into credentials.toml; sayso config path tells where that is."
            ))
        }
        (
            Some(name),
            Some((
                CatalogueAnswer::Failed(why)
                | CatalogueAnswer::Refused(why)
                | CatalogueAnswer::NotRunning(why),
                _,
            )),
        ) => Failure::new(FailureClass::Provider, format!("{name} lists no models: {why}"))
            .hint("sayso config show tells its address, and where that comes from."),
        _ => Failure::new(FailureClass::Provider, "no provider could be asked for its models")
            .hint("Set a key, as OPENAI_API_KEY, or start a model server on this computer, as Ollama."),
    })
}

/// Prints the models of a provider, one per row; stories share one line.
fn write_models(offer: &Offer, models: &[ModelInfo], out: &mut dyn io::Write) -> io::Result<()> {
    let provider = visible_line(&offer.name);
    let Some(address) = &offer.address else {
        let stories: Vec<&str> = models.iter().map(|model| model.name.model.as_str()).collect();
        return writeln!(out, "{provider}  (stories: {})", visible_line(&stories.join(", ")));
    };
    let place = if offer.local { sending::HERE } else { address };
    let count = match models.len() {
        0 => "no models".into(),
        1 => "1 model".to_owned(),
        n => format!("{n} models"),
    };
    writeln!(out, "{provider}  ({}, {count})", visible_line(place))?;
    let names: Vec<String> = models.iter().map(|model| visible_line(&model.name.to_string())).collect();
    let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0).min(60);
    for (name, model) in names.iter().zip(models) {
        let row = format!("  {name:<width$}  {}", describe_model(model));
        writeln!(out, "{}", row.trim_end())?;
    }
    Ok(())
}

/// Prints the providers that answered, then one line for each of the others.
fn write(offers: &[Offer], console: &mut Console<'_>) -> io::Result<()> {
    for offer in offers {
        if let CatalogueAnswer::Models(models) = &offer.answer {
            write_models(offer, models, console.out)?;
        }
    }
    for offer in offers {
        let why = match (&offer.answer, &offer.key) {
            (CatalogueAnswer::NoKey, KeyState::Missing(place)) => format!("no key ({place})"),
            (CatalogueAnswer::NotRunning(why), _) => format!("not reachable: {why}"),
            (CatalogueAnswer::Failed(why) | CatalogueAnswer::Refused(why), _) => format!("no list: {why}"),
            _ => continue,
        };
        writeln!(console.out, "{:<16}  {}", visible_line(&offer.name), visible_line(&why))?;
    }
    if offers.iter().flat_map(Offer::models).any(|model| model.price.is_some()) {
        writeln!(console.out, "Prices: dollars for a million tokens, requests/replies.")?;
    }
    Ok(())
}

/// The known facts about a model: `ctx 128k  $2.50/$10  tools, images`.
fn describe_model(model: &ModelInfo) -> String {
    let context = model.context.map_or_else(|| "ctx ?".into(), |n| format!("ctx {}", catalogue::tokens(n)));
    let price = model.price.as_ref().map(catalogue::price).unwrap_or_default();
    let can = [(model.tools, "tools"), (model.images, "images")];
    let can: Vec<&str> =
        can.into_iter().filter(|(has, _)| *has == Some(true)).map(|(_, word)| word).collect();
    format!("{context:<9} {price:<13} {}", can.join(", ")).trim_end().to_owned()
}

fn offer_json(offer: &Offer) -> Value {
    let (reachable, models, error) = match &offer.answer {
        CatalogueAnswer::Models(models) => (true, models.as_slice(), None),
        CatalogueAnswer::Refused(why) => (true, &[][..], Some(why.clone())),
        CatalogueAnswer::Failed(why) | CatalogueAnswer::NotRunning(why) => {
            (false, &[][..], Some(why.clone()))
        }
        CatalogueAnswer::NoKey => (false, &[][..], Some("no key".to_owned())),
        CatalogueAnswer::Asking => (false, &[][..], Some("no answer".to_owned())),
    };
    let key = match &offer.key {
        KeyState::Needless => "needless",
        KeyState::Kept(_) => "kept",
        KeyState::Missing(_) => "missing",
    };
    json!({
        "provider": offer.name,
        "kind": offer.kind,
        "address": offer.address,
        "local": offer.local,
        "key": key,
        "reachable": reachable,
        "error": error,
        "models": models.iter().map(model_json).collect::<Vec<Value>>(),
    })
}

fn model_json(model: &ModelInfo) -> Value {
    json!({
        "model": model.name.model,
        "context": model.context,
        "max_output": model.output,
        "price": model.price.as_ref().map(price_json),
        "tools": model.tools,
        "images": model.images,
        "local": model.local,
    })
}

/// A price in dollars per million tokens.
fn price_json(price: &Price) -> Value {
    let dollars = |billionths: u64| billionths as f64 / 1000.0;
    json!({
        "input": dollars(price.input),
        "output": dollars(price.output),
        "cached": dollars(price.cached),
        "cache_written": dollars(price.cache_written),
    })
}
