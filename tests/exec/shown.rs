//! What a kernel shows beside output: what became of variables, pictures, tables.

use crate::support::*;
use sayso::domain::*;

fn changes(told: &Told) -> (u32, u32, u32) {
    let changes = told.report.receipt.variables.unwrap();
    (changes.added, changes.changed, changes.deleted)
}

/// The marks of the variables that the block changed, in one line.
fn marks(told: &Told) -> String {
    let variables = told.events.iter().find_map(|event| match event {
        RunEvent::Variables(variables) => Some(variables),
        _ => None,
    });
    let marked = variables.unwrap().iter().filter_map(|v| Some(format!("{}{}", v.change?.mark(), v.name)));
    marked.collect::<Vec<_>>().join(" ")
}

#[tokio::test]
async fn what_a_block_did_to_variables_is_told() {
    let shop = Shop::new();
    let told = shop.py("a = [1]\nb = 'x'\nc = 3.5").await.ok();
    assert_eq!((changes(&told), marks(&told).as_str()), ((3, 0, 0), "+a +b +c"));
    let told = shop.py("a.append(2)\nb = 'y'\nd = 1\ndel c\nimport os\n_hidden = 1").await.ok();
    assert_eq!((changes(&told), marks(&told).as_str()), ((1, 2, 1), "~a ~b +d -c"));
    let told = shop.py("print(a)").await.ok();
    assert_eq!((changes(&told), marks(&told).as_str()), ((0, 0, 0), ""));
    let told = shop.py("a.append(3)\n1/0").await;
    assert_eq!((changes(&told), marks(&told).as_str()), ((0, 1, 0), "~a"));
    let told = shop.py("for n in range(500): globals()[f'v{n}'] = n").await.ok();
    assert_eq!(changes(&told), (501, 0, 0));
    assert_eq!(changes(&shop.py("v0 = 'now a text'").await.ok()), (0, 1, 0));
    let told = shop.sh("true").await.ok();
    assert_eq!(told.report.receipt.variables, None);
}

#[tokio::test]
async fn values_whose_code_is_somebody_elses_are_not_asked() {
    let shop = Shop::new();
    let source = "class Odd:\n    def __repr__(self): open('ran', 'w')\n    def __eq__(self, o): open('ran', 'w')\n    \
                  def __len__(self): open('ran', 'w'); return 3\no = Odd()\nm = [Odd()]";
    shop.py(source).await.ok();
    shop.py("o = Odd(); m.append(1)").await.ok();
    assert!(!shop.work().join("ran").exists());
}

fn venv() -> std::path::PathBuf {
    std::env::var_os("SAYSO_TEST_DATA_PYTHON").expect("SAYSO_TEST_DATA_PYTHON").into()
}

#[tokio::test]
#[ignore = "needs a Python with pandas, polars, pillow and plotly in SAYSO_TEST_DATA_PYTHON"]
async fn data_frames_are_aligned_tables_without_anybodys_repr() {
    let shop = Shop::with(|setup| setup.python = Some(venv()));
    let told = shop
        .py("import pandas as pd\nclass Odd:\n    def __repr__(self): open('ran', 'w'); return 'x' * 10**6\n\
             pd.DataFrame({'name': ['North', 'East'], 'n': [1, 20], 'x': [1.5, 2.25], 'odd': [Odd(), Odd()]})")
        .await
        .ok();
    let wanted =
        "   name    n     x  odd\n0  North   1   1.5  <Odd>\n1  East   20  2.25  <Odd>\n\n2 rows x 4 columns";
    assert_eq!(told.value(), wanted);
    assert!(!shop.work().join("ran").exists());
    let told = shop.py("pd.DataFrame({f'c{n}': range(1000) for n in range(50)})").await.ok();
    assert!(told.value().ends_with("1000 rows x 50 columns, the first 20 shown"), "{}", told.value());
    assert!(told.value().contains("\n...") && told.value().lines().count() == 34, "{}", told.value());
    let told = shop.py("pd.Series([1, 2], name='s', index=['a', 'b'])").await.ok();
    assert_eq!(told.value(), "   s\na  1\nb  2\n\n2 rows x 1 columns");
    let told = shop.py("import polars as pl\npl.DataFrame({'a': [1, 22], 'b': ['x', None]})").await.ok();
    assert_eq!(told.value(), "    a  b\n0   1  x\n1  22  None\n\n2 rows x 2 columns");
}

#[tokio::test]
#[ignore = "needs a Python with pandas, polars, pillow and plotly in SAYSO_TEST_DATA_PYTHON"]
async fn pictures_and_plots_are_shown() {
    let shop = Shop::with(|setup| setup.python = Some(venv()));
    let told = shop.py("from PIL import Image\nImage.new('CMYK', (30, 20)).show()").await.ok();
    let sizes: Vec<_> = told.report.images.iter().map(|image| (image.width, image.height)).collect();
    assert_eq!(sizes, [(30, 20)]);
    let told = shop.py("Image.new('RGB', (8, 9), 'red')").await.ok();
    assert_eq!((told.report.images.len(), told.report.value.as_deref()), (1, None));
    let told = shop
        .py("import plotly.graph_objects as go\nfigure = go.Figure(go.Bar(y=[1, 2]))\nfigure.show()")
        .await
        .ok();
    let page = shop.work().join("figure-1.html");
    // With kaleido and a browser it would be an image.
    assert!(
        told.report.images.len() == 1 || (page.is_file() && told.out().contains("figure-1.html")),
        "{}",
        told.out()
    );
    let told = shop.py("figure").await.ok();
    assert_eq!(told.report.value, None);
}
