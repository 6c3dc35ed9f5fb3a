"""AlphaGo (chapter 13; Silver et al. 2016): its networks, its fast policy, its search."""
