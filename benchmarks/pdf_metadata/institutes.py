"""Affiliations printed on the made pages."""

from __future__ import annotations

from typing import NamedTuple


class Institute(NamedTuple):
    department: str
    name: str
    city: str
    country: str


INSTITUTES = tuple(
    Institute(*line.split("|"))
    for line in """
Department of Computer Science|University of Oslo|Oslo|Norway
Department of Physics|Massachusetts Institute of Technology|Cambridge, MA 02139|USA
Institut für Informatik|Universität Freiburg|Freiburg|Germany
School of Mathematics|University of Bristol|Bristol|United Kingdom
Division of Cardiology|Nashville General Hospital|Nashville, TN|USA
Google Research||Mountain View, CA|USA
Laboratoire de Physique Théorique|CNRS, Université Paris-Saclay|Orsay|France
Dipartimento di Fisica|Politecnico di Milano|Milano|Italy
Theoretical Division|Los Alamos National Laboratory|Los Alamos, NM 87545|USA
Graduate School of Science|Kyoto University|Kyoto 606-8502|Japan
Key Laboratory of Software Engineering|Zhejiang University|Hangzhou|China
Center for Data Science|New York University|New York|USA
Faculty of Medicine|Charles University|Prague|Czech Republic
Institute of Astronomy|KU Leuven|Leuven|Belgium
Department of Statistics|Stanford University|Stanford, California|USA
Instituto de Física|Universidade de São Paulo|São Paulo|Brazil
School of Computing|National University of Singapore|Singapore|Singapore
Department of Oncology|Karolinska Institutet|Stockholm|Sweden
Microsoft Research Asia||Beijing|China
Fermi National Accelerator Laboratory||Batavia, Illinois 60510|USA
Department of Mathematics|Tel Aviv University|Tel Aviv|Israel
Department of Electrical Engineering|Indian Institute of Technology Bombay|Mumbai|India
CERN||Geneva|Switzerland
Department of Linguistics|University of Texas at Austin|Austin, TX|USA
Inria|Univ. Lille, CNRS, UMR 9189 CRIStAL|Lille|France
IBM T. J. Watson Research Center||Yorktown Heights, NY|USA
Max Planck Institute for Informatics|Saarland Informatics Campus|Saarbrücken|Germany
Robotics Institute|Carnegie Mellon University|Pittsburgh, PA|USA
Department of Chemistry|Seoul National University|Seoul 08826|Republic of Korea
Dept. of Biostatistics|Johns Hopkins Bloomberg School of Public Health|Baltimore, Maryland|USA
ETH Zürich|Institute for Theoretical Physics|8093 Zürich|Switzerland
Facultad de Ciencias|Universidad Autónoma de Madrid|Madrid|Spain
DeepMind||London|UK
Steklov Mathematical Institute|Russian Academy of Sciences|Moscow 119991|Russia
Mila|Université de Montréal|Montréal, QC|Canada
SLAC National Accelerator Laboratory||Menlo Park, CA|USA
Australian Research Council Centre of Excellence|University of Melbourne|Parkville 3010|Australia
Bell Labs|Alcatel-Lucent|Murray Hill, New Jersey|USA
Department of Pediatrics|Children's Hospital of Philadelphia|Philadelphia|USA
Wydział Fizyki|Uniwersytet Warszawski|Warszawa|Poland
""".strip().splitlines()
)

NEVER_TUNED = frozenset((
    "Universität Freiburg", "New York University", "Karolinska Institutet", "KU Leuven",
    "Universidade de São Paulo", "Tel Aviv University", "Seoul National University",
    "Russian Academy of Sciences", "Université de Montréal", "Uniwersytet Warszawski",
    "Charles University", "Alcatel-Lucent", "Univ. Lille, CNRS, UMR 9189 CRIStAL",
))  # fmt: skip
