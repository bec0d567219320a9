//! Checks what runs need besides this machine's own programs: a container engine and its images, Jupyter kernels, and
//! installers of packages.

use super::DoctorEntry;
use crate::exec::discovery::{self, Kernels};
use crate::session::factory::SessionFactory;

/// The container engine, and the configured images.
pub(super) async fn containers(factory: &SessionFactory) -> Vec<DoctorEntry> {
    let config = &factory.loaded.config.executors.container;
    let engine = match discovery::engine(config, &factory.launcher()).await {
        Ok(engine) => engine,
        Err(why) => {
            let means = "Nothing runs in containers (--executor container) until there is one: apt install docker.io, \
                         or podman. Other runs need none.";
            return vec![DoctorEntry::missing("containers", why.to_string(), means)];
        }
    };
    let mut looks =
        vec![DoctorEntry::good("containers", format!("{} at {}", engine.version, engine.address))];
    for image in engine.images {
        let what = format!("  image {}", image.languages.join(", "));
        looks.push(match image.there {
            Ok(id) => DoctorEntry::good(what, format!("{} ({id})", image.name)),
            Err(why) => {
                let means = format!(
                    "The first block that needs it asks whether to pull it; sayso exec --pull and docker pull {} do, too.",
                    image.name
                );
                DoctorEntry::missing(what, why, means)
            }
        });
    }
    looks
}

/// The Jupyter kernels that are installed here, or those of the configured server.
pub(super) async fn kernels(factory: &SessionFactory) -> Vec<DoctorEntry> {
    let (python, programs) = (factory.loaded.config.run.python.clone(), factory.launcher());
    let found =
        discovery::kernels(&factory.loaded.config.executors.jupyter, python.as_deref(), &programs).await;
    match found {
        Ok(Kernels { place, names }) if names.is_empty() => vec![DoctorEntry::missing(
            "jupyter",
            format!("no kernel {place}"),
            "Nothing runs in Jupyter kernels (--executor jupyter) until there is one, for Python: pip install ipykernel. \
             Other runs need none.",
        )],
        Ok(Kernels { place, names }) => {
            let kernels = names.into_iter().map(|(name, language)| format!("{name} ({language})"));
            vec![DoctorEntry::good("jupyter", format!("{} {place}", kernels.collect::<Vec<_>>().join(", ")))]
        }
        Err(why) => {
            let means = "Nothing runs in Jupyter kernels (--executor jupyter) until that is put right.";
            vec![DoctorEntry::missing("jupyter", why.to_string(), means)]
        }
    }
}

/// The programs that install the packages that blocks need.
pub(super) async fn installers(factory: &SessionFactory) -> Vec<DoctorEntry> {
    let found = factory.local_executor().installers().await;
    let there = |name: &str| found.iter().any(|(known, path)| *known == name && path.is_some());
    let (uv, pip) = (there("uv"), there("pip"));
    found
        .iter()
        .map(|(name, path)| {
            let means = match *name {
                "uv" if pip => "pip installs packages for Python, slower. To get uv: pip install uv, or pipx install uv.",
                "pip" if uv => "uv installs packages for Python.",
                "uv" => {
                    "Packages for Python can't be installed from here. Get uv (pipx install uv) or pip (apt install \
                     python3-pip)."
                }
                "pip" => "Packages for Python can't be installed from here. To get pip: apt install python3-pip.",
                _ => "Packages for JavaScript can't be installed from here. To get npm: apt install npm, or node with it.",
            };
            match path {
                Some(path) => DoctorEntry::good(*name, path.display().to_string()),
                None => DoctorEntry::missing(*name, "not found", means),
            }
        })
        .collect()
}
